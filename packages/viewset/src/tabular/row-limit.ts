import { TabularError } from './errors.ts'
import type { CellRow, RowBatches } from './table.ts'

/**
 * The same batches, ending in an error as soon as they hold more than `maxRows` rows.
 *
 * @throws TabularError `too_many_rows`
 */
export async function* limitRows(
  rows: RowBatches,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly CellRow[]> {
  let count = 0
  for await (const batch of rows) {
    count += batch.length
    if (count > maxRows) throw new TabularError('too_many_rows', `There are more than ${maxRows} rows.`)
    yield batch
  }
}
