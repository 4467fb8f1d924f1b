// A reader thread. Statements that visit many rows run here, so that they do not block other requests.
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { RawRow } from '../connection/driver.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import type { ReaderAnswer, ReaderData, ReaderFailure, ReaderTask } from './sqlite-messages.ts'

const { path, settings } = workerData as ReaderData
let connection: SqliteConnection | undefined
let open: { readonly rows: IterableIterator<RawRow>; readonly batch: number } | undefined

parentPort?.on('message', (task: ReaderTask) => {
  const answered = answer(task)
  // The main thread ends this one after the answer.
  if (task.kind === 'end') connection?.close()
  parentPort?.postMessage(answered)
})

function answer(task: ReaderTask): ReaderAnswer | ReaderFailure {
  try {
    const { rows, isLast } = perform(task)
    return { rows, isLast, binary: binaryColumns(rows) }
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : undefined
    return { error: { message: error instanceof Error ? error.message : String(error), code } }
  }
}

function perform(task: ReaderTask): Pick<ReaderAnswer, 'rows' | 'isLast'> {
  if (task.kind === 'run' || task.kind === 'open') {
    connection ??= SqliteConnection.openReader(path, settings)
    const batch = task.kind === 'open' ? task.batch : Number.POSITIVE_INFINITY
    open = { rows: connection.iterate(task.text, task.values), batch }
  } else if (task.kind !== 'next') {
    open?.rows.return?.()
    open = undefined
  }
  if (!open) return { rows: [], isLast: true }
  const rows: RawRow[] = []
  // JavaScript collects the rows, so that running out of memory ends the thread. In SQLite it would end the process.
  while (rows.length < open.batch) {
    const { done, value } = open.rows.next()
    if (done) {
      open = undefined
      return { rows, isLast: true }
    }
    rows.push(value)
  }
  return { rows, isLast: false }
}

function binaryColumns(rows: readonly RawRow[]): readonly number[] {
  const columns = new Set<number>()
  for (const row of rows) {
    for (let index = 0; index < row.length; index++) if (row[index] instanceof Uint8Array) columns.add(index)
  }
  return [...columns]
}
