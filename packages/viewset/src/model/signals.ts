import { ConfigError, type FieldErrors } from '../core/errors.ts'
import type { Text } from '../core/messages/message.ts'
import { checkOptions, setting } from '../core/setting-rules.ts'
import type { Model, ModelRow } from './kit.ts'

/** A record that is about to be written. */
export interface PreSaveEvent<M extends Model> {
  readonly created: boolean
  /** The stored record; `null` for a create. */
  readonly record: Readonly<ModelRow<M>> | null
  /** The values to write. A handler may change them. */
  readonly values: Partial<M['$inferInsert']>
}

/** A record that was just written. */
export interface PostSaveEvent<M extends Model> {
  readonly created: boolean
  readonly record: Readonly<ModelRow<M>>
}

/** A record before or after its deletion. */
export interface DeleteEvent<M extends Model> {
  readonly record: Readonly<ModelRow<M>>
}

type Handler<E> = (event: E) => unknown

class Signal {
  readonly #handlers = new WeakMap<Model, Set<Handler<never>>>()
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  connect(model: Model, handler: Handler<never>): () => void {
    if (typeof handler !== 'function') throw new ConfigError(this.#name, 'handler', 'must be a function')
    const handlers = this.#handlers.get(model) ?? new Set()
    this.#handlers.set(model, handlers.add(handler))
    return () => handlers.delete(handler)
  }

  isHeard(model: Model): boolean {
    return (this.#handlers.get(model)?.size ?? 0) > 0
  }

  async send(model: Model, event: object): Promise<void> {
    // Each handler was connected with its own model's event type, which the map does not record.
    for (const handler of this.#handlers.get(model) ?? []) await handler(event as never)
  }
}

/** @internal Sent by the writers of records. */
export const signals = {
  preSave: new Signal('preSave'),
  postSave: new Signal('postSave'),
  preDelete: new Signal('preDelete'),
  postDelete: new Signal('postDelete'),
}

/**
 * Calls `handler` before a record of `model` is created or updated, inside the write's transaction. An error of the
 * handler undoes the write. A handler may change the values, so bulk writes, upserts and imports of its model write
 * record by record. `insertMany`, bulk deletes and children of a nested write send no signals; use `postWrite` for
 * those. Returns a function that disconnects the handler.
 *
 * @example
 * preSave(articles, ({ values }) => {
 *   if (values.title) values.slug = slugify(values.title)
 * })
 */
export function preSave<M extends Model>(model: M, handler: Handler<PreSaveEvent<M>>): () => void {
  return signals.preSave.connect(model, handler)
}

/**
 * Calls `handler` after a record was written, inside the write's transaction; see {@link preSave}. Use `onCommit` for
 * effects outside of the database.
 *
 * @example
 * postSave(orders, ({ record, created }) => {
 *   if (created) onCommit(() => mailer.send(record.id))
 * })
 */
export function postSave<M extends Model>(model: M, handler: Handler<PostSaveEvent<M>>): () => void {
  return signals.postSave.connect(model, handler)
}

/**
 * Calls `handler` before a record is deleted (a soft delete is a save); see {@link preSave}.
 *
 * @example
 * preDelete(accounts, ({ record }) => {
 *   if (record.balance !== '0.00') throw new PermissionDenied('This account is not empty.')
 * })
 */
export function preDelete<M extends Model>(model: M, handler: Handler<DeleteEvent<M>>): () => void {
  return signals.preDelete.connect(model, handler)
}

/**
 * Calls `handler` after a record was deleted; see {@link preSave}.
 *
 * @example
 * postDelete(files, ({ record }) => onCommit(() => rm(record.path)))
 */
export function postDelete<M extends Model>(model: M, handler: Handler<DeleteEvent<M>>): () => void {
  return signals.postDelete.connect(model, handler)
}

/** The rows of one write. */
export interface WriteEvent<M extends Model> {
  readonly kind: 'insert' | 'update' | 'delete'
  readonly model: M
  /**
   * The rows before the write, in the order of `after`. Empty for an insert; `undefined` for an update whose handler
   * did not ask for them. For a saved record: as it was last read.
   */
  readonly before: readonly Readonly<ModelRow<M>>[] | undefined
  /** The rows after the write. Empty for a delete. */
  readonly after: readonly Readonly<ModelRow<M>>[]
  /**
   * Refuses one of the rows, as it was or as it is, so that the write is undone and the client gets a 400. `problem` is a sentence, or
   * sentences by the name of the field on the wire. A bulk request names the item, and an import the row of the file.
   *
   * @throws TypeError for a row that this event does not have
   * @example
   * postWrite(prices, async ({ after, refuse }) => {
   *   for (const price of after) if (await overlaps(price)) refuse(price, { starts: ['Overlaps another period.'] })
   * })
   */
  readonly refuse: (row: Readonly<ModelRow<M>>, problem: FieldErrors | Text) => void
}

/** Options of {@link postWrite}. */
export interface PostWriteOptions {
  /** Whether the handler needs the rows before an update, which may cost another read. Default false. */
  readonly before?: boolean
}

export interface WriteListener {
  readonly handler: (event: WriteEvent<Model>) => unknown
  readonly before: boolean
}

const listeners = new WeakMap<Model, Set<WriteListener>>()

/**
 * Calls `handler` after each write of rows of `model`, inside the write's transaction. An error of the handler undoes
 * the write. It covers every write by Viewset: create, update, delete, bulk, upsert, import, nested records and links.
 * A write of many rows is one event. An event may still be undone later, with a savepoint or a row of an import: use
 * `onCommit` for stored results. Rows that the database deletes (`on delete cascade`) and writes through `currentDb()`
 * cause no event.
 *
 * Returns a function that disconnects the handler.
 *
 * @throws ConfigError for a handler that is not a function, and for an unknown option.
 * @example
 * postWrite(orders, async ({ kind, before = [], after }) => {
 *   const [old] = before
 *   await insertMany(changes, after.map(order => ({ order: order.id, kind, was: old?.status ?? null })))
 * }, { before: true })
 */
export function postWrite<M extends Model>(
  model: M,
  handler: (event: WriteEvent<M>) => unknown,
  options: PostWriteOptions = {},
): () => void {
  checkOptions('postWrite', { before: setting.boolean }, options)
  if (typeof handler !== 'function') throw new ConfigError('postWrite', 'handler', 'must be a function')
  // Each handler gets its own model's event type, which the map does not record.
  const listener: WriteListener = { handler: handler as WriteListener['handler'], before: options.before === true }
  const known = listeners.get(model) ?? new Set()
  listeners.set(model, known.add(listener))
  return () => known.delete(listener)
}

/** @internal In order of connection; `undefined` without any. */
export function writeListeners(model: Model): ReadonlySet<WriteListener> | undefined {
  const known = listeners.get(model)
  return known && known.size > 0 ? known : undefined
}
