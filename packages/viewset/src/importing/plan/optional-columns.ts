import type { ImportModel } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { PlannedColumn } from './headers.ts'
import { fillsField, isInFile, type UniquePlan } from './plan.ts'
import { codeNames } from './spellings.ts'

/**
 * Marks the columns that a file may lack.
 *
 * @throws ConfigError for an unknown name, and for a column that each row needs
 */
export function withOptional(
  check: ConfigCheck,
  at: string,
  { optional = [] }: ImportModel,
  columns: readonly PlannedColumn[],
  unique: UniquePlan,
): readonly PlannedColumn[] {
  const chosen = columnsNamedIn(check, `${at}.optional`, optional, columns)
  for (const { name, column, required } of chosen) {
    const isKey = unique.columns.includes(column)
    check.that(!isKey, `${at}.optional`, `"${name}" finds the records, so no file can lack it`)
    check.that(!required, `${at}.optional`, `"${name}" has no default, so no file can lack it`)
  }
  return columns.map(column => (chosen.has(column) ? { ...column, isOptional: true } : column))
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
