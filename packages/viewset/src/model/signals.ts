import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/setting-rules.ts'
import type { Model, ModelRow } from './kit.ts'

/** A record that is about to be written. */
export interface PreSaveEvent<M extends Model> {
  readonly created: boolean
  /** The record as it is stored; `null` before it is created. */
  readonly record: Readonly<ModelRow<M>> | null
  /** What will be written. A handler may change it. */
  readonly values: Partial<M['$inferInsert']>
}

/** A record that has just been written. */
export interface PostSaveEvent<M extends Model> {
  readonly created: boolean
  readonly record: Readonly<ModelRow<M>>
}

/** A record that is about to be deleted, or has just been. */
export interface DeleteEvent<M extends Model> {
  readonly record: Readonly<ModelRow<M>>
}

type Handler<E> = (event: E) => unknown

/** The handlers of one signal, by model. */
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

  /** Calls the handlers one after the other, in the order in which they were connected. */
  async send(model: Model, event: object): Promise<void> {
    // Each handler was connected with its own model's event, which the map does not know.
    for (const handler of this.#handlers.get(model) ?? []) await handler(event as never)
  }
}

/** @internal What the writers of records send. */
export const signals = {
  preSave: new Signal('preSave'),
  postSave: new Signal('postSave'),
  preDelete: new Signal('preDelete'),
  postDelete: new Signal('postDelete'),
}

/**
 * Calls `handler` before a record of `model` is created or updated, inside the write's transaction: what it throws
 * undoes the write. A handler may change what is stored, so bulk writes, upserts and imports of its model go record by
 * record. `insertMany`, bulk deletes and the children of a nested write send no signals: `postWrite` hears of those, too.
 * Returns a function that disconnects the handler.
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
 * Calls `handler` after a record was written, inside the write's transaction; see {@link preSave}. Outside effects
 * belong in `onCommit`.
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

/** What one write has written. */
export interface WriteEvent<M extends Model> {
  readonly kind: 'insert' | 'update' | 'delete'
  readonly model: M
  /**
   * The rows as they were, in the order of `after`: none of an insert, and `undefined` of an update whose handler has not
   * asked for them. Of a record that is saved, they are as it was last read.
   */
  readonly before: readonly Readonly<ModelRow<M>>[] | undefined
  /** The rows as they are now; none of a delete. */
  readonly after: readonly Readonly<ModelRow<M>>[]
}

/** What a listener of {@link postWrite} wants to know. */
export interface PostWriteOptions {
  /** Whether the handler needs the rows of an update as they were, which may cost a read more. Default false. */
  readonly before?: boolean
}

/** Who listens to the writes of a model. */
export interface WriteListener {
  readonly handler: (event: WriteEvent<Model>) => unknown
  readonly before: boolean
}

const listeners = new WeakMap<Model, Set<WriteListener>>()

/**
 * Calls `handler` after each write of rows of `model`, inside the write's transaction: what it throws undoes the write.
 * It hears of every write of Viewset's, of one record or of many: create, update, delete, bulk, upsert, import, nested
 * records and links. A write of many is one event, however many rows and statements it takes. One that is undone later,
 * with a savepoint or a row of an import, has been heard: `onCommit` knows what is stored. Rows that the database deletes
 * by itself (`on delete cascade`), and what is written by `currentDb()`, it does not hear of.
 *
 * Returns a function that disconnects the handler.
 *
 * @throws ConfigError for what is no function, and for an unknown option.
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
  refuseUnknown('postWrite', 'option', Object.keys(options), ['before'])
  if (typeof handler !== 'function') throw new ConfigError('postWrite', 'handler', 'must be a function')
  // Each handler is called with its own model's event, which the map does not know.
  const listener: WriteListener = { handler: handler as WriteListener['handler'], before: options.before === true }
  const known = listeners.get(model) ?? new Set()
  listeners.set(model, known.add(listener))
  return () => known.delete(listener)
}

/** @internal Who listens to the writes of a model, in the order in which they were connected; `undefined` for nobody. */
export function writeListeners(model: Model): ReadonlySet<WriteListener> | undefined {
  const known = listeners.get(model)
  return known && known.size > 0 ? known : undefined
}
