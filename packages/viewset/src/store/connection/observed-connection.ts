import { channels, type Ongoing, type StatementEvent, type TransactionEvent, traced } from '../../core/channels.ts'
import { currentContext, keepContext } from '../../core/context.ts'
import type { Dialect } from '../../model/dialect/dialect.ts'
import type { Driver, Executor, ObservedExecutor, PrepareBatch, RawRow, Result, Statement } from './driver.ts'

/** Sends all statements of the store, publishes their events and counts them for the request. */
export class ObservedConnection implements ObservedExecutor {
  readonly #dialect: Dialect
  readonly #connection: Executor
  readonly #transaction: TransactionEvent | null

  constructor(dialect: Dialect, connection: Executor, transaction: TransactionEvent | null = null) {
    this.#dialect = dialect
    this.#connection = connection
    this.#transaction = transaction
  }

  run(statement: Statement, values: readonly unknown[]): Promise<Result> {
    if (channels.statement.hasSubscribers) {
      return this.observe(statement, () => this.#connection.run(statement, values), rowsOf)
    }
    countStatement(statement)
    return this.#connection.run(statement, values)
  }

  observe<T>(statement: Statement, send: () => Promise<T>, count: (result: T) => number): Promise<T> {
    countStatement(statement)
    if (!channels.statement.hasSubscribers) return send()
    const event = statementEvent(this.#dialect, statement, this.#transaction)
    return traced(channels.statement, event, async () => {
      try {
        const result = await send()
        event.rows = count(result)
        return result
      } catch (error) {
        event.code = codeOf(error)
        throw error
      }
    })
  }
}

/** Reads a statement in batches and publishes its events. It ends with the last batch, or when the reader leaves. */
export function observedStream(
  dialect: Dialect,
  source: Pick<Driver, 'stream'>,
  statement: Statement,
  values: readonly unknown[],
  batch: number,
  prepare: PrepareBatch | undefined,
): AsyncIterable<readonly RawRow[]> {
  const observed: PrepareBatch | undefined =
    prepare && ((rows, executor) => prepare(rows, new ObservedConnection(dialect, executor)))
  const open = () => source.stream(statement, values, batch, observed)
  countStatement(statement)
  if (!channels.statement.hasSubscribers) return open()
  return tellStream({ ...statementEvent(dialect, statement, null), streamed: true }, open)
}

async function* tellStream(
  event: Ongoing<StatementEvent>,
  open: () => AsyncIterable<readonly RawRow[]>,
): AsyncGenerator<readonly RawRow[]> {
  const end = Promise.withResolvers<void>()
  let batches: AsyncIterable<readonly RawRow[]> | undefined
  const done = traced(channels.statement, event, () => {
    // Related records are read between two batches, as part of this statement.
    batches = keepContext(open())
    return end.promise
  })
  try {
    for await (const rows of batches ?? []) {
      event.rows += rows.length
      yield rows
    }
  } catch (error) {
    event.code = codeOf(error)
    end.reject(error)
    throw error
  } finally {
    end.resolve()
    // The reader gets the error from the batches.
    await done.catch(() => {})
  }
}

function countStatement({ text }: Statement): void {
  const { request, sent } = currentContext()
  if (request) request.statements++
  if (sent) sent.set(text, (sent.get(text) ?? 0) + 1)
}

function statementEvent(
  { name: database }: Dialect,
  { name = null, text }: { readonly name?: string | null; readonly text: string },
  transaction: TransactionEvent | null,
): Ongoing<StatementEvent> {
  const { request } = currentContext()
  return { database, name, text, streamed: false, request, transaction, rows: 0, duration: 0, code: null }
}

function rowsOf({ rows, changes }: Result): number {
  return rows.length || changes
}

function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return typeof code === 'string' ? code : null
}
