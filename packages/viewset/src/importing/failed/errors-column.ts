import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import type { ImportPlan } from '../plan/plan.ts'

/** What the column with the errors is called: the first of these that no model has. */
const NAMES = ['Errors', 'Import errors'] as const
const KEYS: ReadonlySet<string> = new Set(NAMES.map(headerKey))

/** Whether a column that no model reads is that of an earlier file of failed rows. */
export function isErrorsColumn(header: string): boolean {
  return KEYS.has(headerKey(header))
}

/** The name of the column with the errors, in files of a plan and with further columns that are `read`. */
export function errorsHeader({ models }: ImportPlan, aliases: HeaderAliases, read: readonly string[]): string {
  const columns = models.flatMap(model => model.columns)
  const others = [...aliases.values()].flatMap(({ label = '', paths }) => [label, ...paths])
  const taken = [
    ...columns.flatMap(({ header, flatHeader, spellings }) => [header, flatHeader, ...spellings]),
    ...others,
    ...read,
  ]
  const keys = new Set(taken.map(headerKey))
  return NAMES.find(name => !keys.has(headerKey(name))) ?? NAMES[0]
}
