import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/setting-rules.ts'
import type { Model, ModelRow } from './kit.ts'

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
