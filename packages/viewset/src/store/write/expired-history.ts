import { currentContext } from '../../core/context.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { History } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import { onCommit } from '../connection/transaction.ts'
import { tableName } from '../select.ts'
import { runWrite } from './run-write.ts'

/** Between two sweeps of one process, in milliseconds. */
const SWEEP = 600_000

const sweptAt = new WeakMap<History, number>()

/** Removes expired entries after the transaction, now and then. */
export function sweepLater(database: Database, history: History): void {
  const { RETENTION: retention } = currentContext().settings.HISTORY
  if (retention === null || Date.now() < (sweptAt.get(history) ?? 0) + SWEEP) return
  sweptAt.set(history, Date.now())
  onCommit(() => removeExpired(database, history, retention))
}

/** The entries of a job go together: the rest of them could not undo it. */
async function removeExpired(database: Database, { info }: History, retention: number): Promise<void> {
  const { dialect } = database
  const text = expiredDeletion(dialect, tableName(info), key => info.byKey.get(key) as ColumnInfo)
  const statement = database.statement(text, () => text)
  const end = dialect.encode(info.byKey.get('at') as ColumnInfo, new Date(Date.now() - retention).toISOString())
  await runWrite(database, info, statement, [end, end])
}

function expiredDeletion(dialect: Dialect, table: string, columnOf: (key: string) => ColumnInfo): string {
  const [at, job] = [columnOf('at'), columnOf('job')]
  const end = (position: number) => dialect.typedPlaceholder(at, position)
  const newer = `select 1 from ${table} as newer where newer.${quoteName(job.name)} = ${table}.${quoteName(job.name)} and newer.${quoteName(at.name)} >= ${end(2)}`
  return `delete from ${table} where ${quoteName(at.name)} < ${end(1)} and not exists (${newer})`
}
