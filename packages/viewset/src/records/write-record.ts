import type { Model } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import { signals } from '../model/signals.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { inTransaction } from '../store/connection/session.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import type { Values } from '../store/write/write.ts'
import { hasNested } from './drafts.ts'
import { atomic, databaseOf, type ModelRecord, recordOf, saveValues } from './record.ts'
import { writeRelatedSets } from './related-sets.ts'
import { resolveNested } from './resolve-nested.ts'

export async function createRecordIn<M extends Model>(
  database: Database,
  model: ModelInfo,
  given: Values,
): Promise<ModelRecord<M>> {
  if (hasNested(given)) return writeNested(database, given, true, values => createRecordIn<M>(database, model, values))
  return atomic(database, model, ['preSave', 'postSave'], async () => {
    const values = { ...given }
    await signals.preSave.send(model.table, { created: true, record: null, values })
    const { rows } = await executeWrite(database, { kind: 'insert', model, rows: [values], returning: 'rows' })
    const record = recordOf<M>(database, model, rows[0] as RawRow)
    await signals.postSave.send(model.table, { created: true, record })
    return record
  })
}

export async function updateRecord<M extends Model>(record: ModelRecord<M>, values: Values): Promise<ModelRecord<M>> {
  if (!hasNested(values)) return saveValues(record, values)
  return writeNested(databaseOf(record), values, false, resolved => saveValues(record, resolved))
}

function writeNested<R extends Values>(
  database: Database,
  given: Values,
  isNew: boolean,
  write: (values: Values) => Promise<R>,
): Promise<R> {
  return inTransaction(database, async () => {
    const create = (model: ModelInfo, values: Values) => createRecordIn(database, model, values)
    const { values, sets } = await resolveNested(database, given, create)
    const owner = await write(values)
    await writeRelatedSets(database, [{ owner, sets, isNew }])
    return owner
  })
}
