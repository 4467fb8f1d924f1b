import { ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { decodeRow } from '../../store/row-set.ts'
import type { Values } from '../../store/write/write.ts'

export async function storedRecords(rows: QuerySet, keys: readonly unknown[]): Promise<ReadonlyMap<string, Values>> {
  const { model, database } = rows
  const { key: primaryKey } = model.primaryKey
  const found = await rows.withKeys(ownProjection(model), keys)
  return new Map(
    found.map(row => {
      const record = decodeRow(database.dialect, model, row)
      return [String(record[primaryKey]), record]
    }),
  )
}
