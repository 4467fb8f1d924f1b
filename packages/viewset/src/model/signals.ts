import { ConfigError } from '../core/errors.ts'
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
