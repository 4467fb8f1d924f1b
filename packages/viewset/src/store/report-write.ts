import type { WriteListener } from '../model/signals.ts'
import type { Database } from './database.ts'
import { decodeRow } from './decode-row.ts'
import type { RawRow } from './driver.ts'
import { ownProjection } from './projection.ts'
import { readByKeys } from './read-by-keys.ts'
import { inOrder } from './row-order.ts'
import { inTransaction } from './session.ts'
import type { WritePlan, WriteResult } from './write.ts'

/** Runs a write that returns its rows, and tells those who listen, one after the other, in the same transaction. */
export function reportWrite(
  database: Database,
  plan: WritePlan,
  listeners: ReadonlySet<WriteListener>,
  write: () => Promise<WriteResult>,
): Promise<WriteResult> {
  return inTransaction(database, async () => {
    const { model, kind } = plan
    const rowsOf = (rows: readonly RawRow[]) => rows.map(row => decodeRow(database.dialect, model, row))
    const asked = [...listeners].some(({ before }) => before)
    const found = kind === 'update' && asked ? await readBefore(database, plan) : undefined
    const result = await write()
    if (result.changes === 0) return result
    const written = rowsOf(result.rows)
    const replaced = found && rowsOf(found(result.keys))
    const after = kind === 'delete' ? [] : written
    for (const { handler, before: isAsked } of listeners) {
      const before = kind === 'insert' ? [] : kind === 'delete' ? written : isAsked ? replaced : undefined
      await handler({ kind, model: model.table, before, after })
    }
    return result
  })
}

/** The rows of an update as they are, to be had in the order of the keys that it has then written. */
async function readBefore(
  database: Database,
  { model, rows, before }: Extract<WritePlan, { kind: 'update' }>,
): Promise<(keys: readonly unknown[]) => readonly RawRow[]> {
  if (before) return () => [before]
  const keys = rows.map(({ key }) => key)
  const found = await readByKeys(database, ownProjection(model), keys, 'update')
  return written => inOrder(database, model, found, model.columns.indexOf(model.primaryKey), written)
}
