import { is, SQL } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { strangeColumn } from '../model/drizzle.ts'
import type { Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { GenericViewSet } from './generic-viewset.ts'

/** A condition that a resource declares, to be made by a request. */
interface DeclaredScope {
  readonly setting: string
  readonly model: Model
  condition(): unknown
}

/**
 * Asks each condition of a resource once, as nobody, and looks at the columns in it: one of another table would fail with
 * every request.
 *
 * @throws ConfigError naming the setting and the column.
 */
export function checkQuerysets(subject: string, view: GenericViewSet): void {
  for (const { setting, model, condition } of scopesOf(view)) {
    const found = ask(view, condition)
    if (found instanceof Promise) {
      found.catch(() => {})
      throw new ConfigError(subject, setting, 'must return a condition, not a promise; override getQueryset for that')
    }
    const stranger = is(found, SQL) ? strangeColumn(found, model) : undefined
    if (!stranger) continue
    const { table, column } = stranger
    const problem = `names the column "${column}" of "${table}", which is another table; select from that in a subquery`
    throw new ConfigError(subject, setting, `${problem}, such as sql\`exists (select 1 from \${${table}} where ...)\``)
  }
}

/** A condition that needs somebody or something to ask about is for the requests to find wrong. */
function ask({ database }: GenericViewSet, condition: () => unknown): unknown {
  try {
    return database.use(condition)
  } catch {
    return undefined
  }
}

function scopesOf(view: GenericViewSet): readonly DeclaredScope[] {
  const { config } = view
  const { model, queryset, actions = {}, bulkRestore } = config
  const declared = [
    { setting: 'queryset', queryset },
    ...Object.entries(actions).map(([name, action]) => ({ setting: `actions.${name}`, queryset: action.queryset })),
    { setting: 'bulkRestore', queryset: typeof bulkRestore === 'object' ? bulkRestore.queryset : undefined },
  ]
  return [
    // Each is written for the view of its own model, which only its declaration knows.
    ...declared.flatMap(({ setting, queryset: scope }) =>
      scope ? [{ setting, model, condition: () => scope(view as never) }] : [],
    ),
    ...relationScopes(config.serializer),
  ]
}

function relationScopes({ fields }: ModelSerializer, path = 'serializer'): readonly DeclaredScope[] {
  return fields.flatMap((field): readonly DeclaredScope[] => {
    if (field.kind !== 'stored' && field.kind !== 'many') return []
    const { relation, key } = field
    if (!relation) return []
    const setting = `${path}.${key}`
    const { scope, model } = relation
    const nested = field.kind === 'many' ? field.serializer : field.relation?.serializer
    return [
      ...(scope ? [{ setting, model: model.table, condition: scope }] : []),
      ...(nested ? relationScopes(nested, setting) : []),
    ]
  })
}
