import { keyProjection } from '../../store/projection.ts'
import { decodedKeys } from '../../store/row-order.ts'
import type { ModelReader } from '../read/model-reader.ts'
import { LISTED_ROWS } from './diff-collector.ts'
import { snapshots } from './snapshots.ts'
import type { WriteContext } from './write-context.ts'

export type ReplacedRecords = readonly Readonly<Record<string, unknown>>[]

export async function replacedRecords(context: WriteContext, { plan, sight }: ModelReader): Promise<ReplacedRecords> {
  const { model } = plan
  const set = context.visible(plan).orderBy([{ by: model.primaryKey, descending: false }])
  const rows = await set.rows(keyProjection(model), { limit: LISTED_ROWS, offset: 0 })
  const keys = decodedKeys(set.database, model, rows, 0)
  const seen = await snapshots(context, { plan }, keys)
  const unique = sight.shown.filter(({ column }) => plan.unique.columns.includes(column))
  // Without a unique field, all columns of the import are shown.
  const shown = unique.length > 0 ? unique : sight.shown
  return keys.map(key => Object.fromEntries(shown.map(column => [column.header, seen.get(String(key))?.get(column)])))
}
