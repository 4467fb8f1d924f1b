import type { TableInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import type { Result, Statement } from './driver.ts'
import { apiErrorOf } from './faults.ts'
import { missingParent } from './missing-parent.ts'
import { RestrictedDelete } from './restricted-delete.ts'
import { isInTransaction, readsOf } from './session.ts'
import type { Automatic, Values } from './write.ts'

/** What a statement is about, for the words in which it may be refused. */
interface Written {
  readonly rows?: readonly Values[]
  /** Which values it has filled in beside those of the rows. Default those of new rows. */
  readonly automatic?: Automatic
  /** The condition of the rows that it deletes. */
  readonly deleting?: () => string | undefined
}

/** Runs a write, of `rows`, and turns what the database refuses into an {@link ApiError} that names the model's fields. */
export async function runWrite(
  database: Database,
  model: TableInfo,
  statement: Statement,
  values: readonly unknown[],
  { deleting, rows = [], automatic = 'createValue' }: Written = {},
): Promise<Result> {
  try {
    readsOf(database)?.leave()
    return await database.run(statement, values)
  } catch (error) {
    const fault = database.dialect.fault(error)
    // What may be run again must reach the transaction as it is.
    if (!fault || fault.kind === 'retry') throw error
    // SQLite does not tell a missing parent from a row that is still referred to; the statement does.
    const kind = deleting && fault.kind === 'foreignKey' ? 'restricted' : fault.kind
    if (kind === 'restricted' && deleting) {
      const { errors = {} } = apiErrorOf({ ...fault, kind }, model, error, rows)
      const refused = new RestrictedDelete(errors, database, { model, values, where: deleting }, error)
      throw isInTransaction(database) ? refused : await refused.explained()
    }
    if (kind !== 'foreignKey' || fault.columns) throw apiErrorOf({ ...fault, kind }, model, error, rows)
    // A transaction that takes no further statement leaves it at that.
    const missing = await missingParent(database, model, rows, automatic).catch(() => undefined)
    throw apiErrorOf({ ...fault, ...(missing && { columns: [missing.name] }) }, model, error, rows)
  }
}
