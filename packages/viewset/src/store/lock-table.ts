import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { runWrite } from './run-write.ts'
import { tableName } from './select.ts'

/** Keeps everybody else from writing a table until the transaction ends; they can read it. */
export async function lockTable(database: Database, model: ModelInfo): Promise<void> {
  const text = database.dialect.lockTable(tableName(model))
  if (text !== null) await runWrite(database, model, { text }, [])
}
