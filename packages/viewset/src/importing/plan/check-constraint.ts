import type { ImportModel } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { UniquePlan } from './plan.ts'

/** Configurations that were warned of: a resource makes a plan for each of its serializers. */
const warned = new WeakSet<ImportModel>()

/** Warns of unique fields without a constraint: nothing but a lock keeps two imports from creating a record twice. */
export function checkConstraint(
  check: ConfigCheck,
  at: string,
  config: ImportModel,
  { columns, isConstrained, isEnforced }: UniquePlan,
): void {
  const { matchWithoutIndex = false } = config
  check.that(typeof matchWithoutIndex === 'boolean', `${at}.matchWithoutIndex`, 'must be true or false')
  if (matchWithoutIndex || isConstrained || isEnforced || warned.has(config)) return
  warned.add(config)
  const { subject, name } = check.place(`${at}.uniqueFields`)
  const names = columns.map(({ key }) => key).join(', ')
  process.emitWarning(
    `${subject}: ${name}: no unique constraint covers ${names}, so each import locks the table and ` +
      'other writes to it wait. Add a unique constraint, or set matchWithoutIndex: true if this is meant.',
    { type: 'ViewsetWarning', code: 'VIEWSET_MATCH_WITHOUT_INDEX' },
  )
}
