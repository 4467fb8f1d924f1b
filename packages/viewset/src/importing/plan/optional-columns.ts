import type { ImportModel } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { PlannedColumn } from './headers.ts'
import { fillsField, isInFile, type UniquePlan } from './plan.ts'
import { codeNames } from './spellings.ts'

/**
 * Marks the columns that a file may lack, and those that nothing keeps.
 *
 * @throws ConfigError for an unknown name, and for a column that each row needs
 */
export function withOptional(
  check: ConfigCheck,
  at: string,
  { optional = [], sensitive = [] }: ImportModel,
  columns: readonly PlannedColumn[],
  unique: UniquePlan,
): readonly PlannedColumn[] {
  const chosen = columnsNamedIn(check, `${at}.optional`, optional, columns)
  for (const { name, column, required } of chosen) {
    const isKey = unique.columns.includes(column)
    check.that(!isKey, `${at}.optional`, `"${name}" finds the records, so no file can lack it`)
    check.that(!required, `${at}.optional`, `"${name}" has no default, so no file can lack it`)
  }
  const hidden = columnsNamedIn(check, `${at}.sensitive`, sensitive, columns)
  for (const { name, column } of hidden) {
    const isKey = unique.columns.includes(column)
    check.that(!isKey, `${at}.sensitive`, `"${name}" finds the records, so the file of failed rows needs it`)
  }
  // A file of failed rows lacks sensitive columns, and can be sent again.
  return columns.map(column => ({
    ...column,
    ...((chosen.has(column) || (hidden.has(column) && !column.required)) && { isOptional: true }),
    ...(hidden.has(column) && { isSensitive: true }),
  }))
}

/** The columns that a setting names, by field or source field. */
function columnsNamedIn(
  check: ConfigCheck,
  at: string,
  names: readonly string[],
  columns: readonly PlannedColumn[],
): ReadonlySet<PlannedColumn> {
  const known = columns.filter(column => isInFile(column) && fillsField(column))
  check.list(at, names, [...new Set(known.flatMap(codeNames))], 'columns of the file')
  return new Set(known.filter(column => codeNames(column).some(name => names.includes(name))))
}
