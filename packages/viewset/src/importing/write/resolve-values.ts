import { CellProblem } from '../../kinds/cells.ts'
import type { SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import type { Failures } from './failures.ts'
import type { ImportRecord } from './import-record.ts'
import type { MissingParents } from './missing-parents.ts'
import type { WriteContext } from './write-context.ts'

/**
 * Makes the values of records. Foreign keys that other rows of the file may lead to are found now. Returns the records
 * whose foreign keys all lead somewhere.
 */
export async function resolveValues(
  { lookups, hooks }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
  missing: MissingParents,
): Promise<ImportRecord[]> {
  const { columns } = model
  const { fixedValues } = hooks(model.reader.plan)
  const resolved = new Map<SheetColumn, ReadonlyMap<unknown, unknown>>()
  for (const [at, column] of columns.entries()) {
    const { lookup } = column.plan
    if (!lookup || lookups.isUntouched(lookup)) continue
    const cells = records.map(record => record.cells[at])
    const values = new Set(cells.filter(value => value !== null && value !== undefined))
    resolved.set(column, await lookups.resolve(lookup, values))
  }
  return records.filter(record => {
    const values: Record<string, unknown> = {}
    let isWhole = true
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at]!
      const cell = record.cells[at]
      const found = resolved.get(column)
      const value = found && cell !== null && cell !== undefined ? found.get(cell) : cell
      if (value instanceof CellProblem) {
        failures.fail(model, record, column.field, value.message)
        if (!missing.has(column, cell)) failures.mayRetry(record)
        isWhole = false
      }
      values[column.plan.column.key] = value
    }
    record.values = Object.assign(values, fixedValues)
    return isWhole
  })
}
