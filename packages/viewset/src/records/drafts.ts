import type { Model, PrimaryKeyOf } from '../model/kit.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Scope } from '../store/projection.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { ToManyRelation } from '../store/to-many.ts'
import type { Values } from '../store/write/write.ts'

export interface DraftedRelation {
  readonly wire: string
  /** The foreign key holds this column of the new record. */
  readonly target: ColumnInfo
  readonly scope: Scope | undefined
  /** The new record must also be in this set. */
  readonly within: QuerySet | undefined
}

/** `sync` deletes the stored children that a list leaves out, `merge` leaves them. */
export type ListMode = 'sync' | 'merge'

/**
 * A related record that a client sent and that is not stored yet. It stands in the place of the foreign key. It is
 * created before the record that refers to it, in the same transaction.
 *
 * @example
 * async performCreate(values: Input<typeof BookSerializer>) {
 *   const { author } = values
 *   if (author instanceof NestedDraft) author.values.name = tidy(author.values.name)
 *   return super.performCreate(values)
 * }
 */
export class NestedDraft<M extends Model = Model> {
  readonly model: M
  /** Valid values of the new record. A hook may change them. */
  readonly values: Partial<M['$inferInsert']>
  /** @internal */
  readonly relation: DraftedRelation

  /** @internal */
  constructor(model: M, values: Partial<M['$inferInsert']>, relation: DraftedRelation) {
    this.model = model
    this.values = values
    this.relation = relation
  }
}

/**
 * The new members of a to-many relation, by their identifiers. They are written after the record itself, in the same
 * transaction.
 *
 * @example
 * async performCreate(values: Input<typeof PostSerializer>) {
 *   return super.performCreate({ ...values, tags: values.tags?.with([...values.tags.keys, news.id]) })
 * }
 */
export class RelatedSet<K = unknown> {
  readonly keys: readonly K[]
  /** @internal */
  readonly relation: ToManyRelation

  /** @internal */
  constructor(relation: ToManyRelation, keys: readonly K[]) {
    this.relation = relation
    this.keys = [...new Set(keys)]
  }

  /** The same relation with other members. */
  with(keys: readonly K[]): RelatedSet<K> {
    return new RelatedSet(this.relation, keys)
  }
}

/** A child in a {@link NestedList}. */
export interface NestedItem<M extends Model = Model> {
  /** The primary key of a stored child; absent for a new one. */
  readonly key?: PrimaryKeyOf<M>
  /** Valid values of a new child, or those that change. A hook may change them. */
  readonly values: Partial<M['$inferInsert']>
}

/** What a validation knows about the children of a list. */
export interface ListOrigin {
  readonly relation: ToManyRelation
  /** What happens to the stored children that the list leaves out. */
  readonly mode: ListMode
  /** The stored children of the owner, by the texts of their keys. */
  readonly stored: ReadonlyMap<string, Values>
  /** The records to which a new child must belong, besides those of its field. */
  readonly within: QuerySet | undefined
  /** The lists of a child. If it is deleted, their records are deleted before it. */
  readonly below: readonly ListBelow[]
}

/** A list of records that belong to a child in the same request. */
export interface ListBelow {
  readonly relation: ToManyRelation
  /** The records that the request may delete; `undefined` for all. */
  readonly visible: QuerySet | undefined
  readonly below: readonly ListBelow[]
}

/**
 * The children of a record that a client sent. They are written after the record itself, in the same transaction. With
 * `sync`, stored children that the list leaves out are deleted.
 *
 * @example
 * async performCreate(values: Input<typeof OrderSerializer>) {
 *   for (const { values: line } of values.lines?.items ?? []) line.price ??= await priceOf(line.product)
 *   return super.performCreate(values)
 * }
 */
export class NestedList<M extends Model = Model> {
  /** The children in the order of the request. A hook may change the list. */
  readonly items: NestedItem<M>[]
  /** @internal */
  readonly origin: ListOrigin

  /** @internal */
  constructor(origin: ListOrigin, items: Iterable<NestedItem<M>>) {
    this.origin = origin
    this.items = [...items]
  }
}

/** What is written after a record, because it needs the record's key. */
export type OwnedPart = RelatedSet | NestedList

/** Separates a record's own values from its to-many relations and children. */
export function withoutParts(given: Values): { readonly values: Values; readonly parts: readonly OwnedPart[] } {
  const values: Record<string, unknown> = {}
  const parts: OwnedPart[] = []
  for (const [key, value] of Object.entries(given)) {
    if (value instanceof RelatedSet || value instanceof NestedList) parts.push(value)
    else values[key] = value
  }
  return { values, parts }
}

/** Copies values for a hook, which may change the nested records. Records that several lists share stay shared. */
export function copiedValues(values: Values, copies = new Map<object, object>()): Values {
  if (!hasNested(values)) return { ...values }
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, copied(value, copies)]))
}

function copied(value: unknown, copies: Map<object, object>): unknown {
  if (value instanceof NestedDraft) {
    const known = copies.get(value)
    if (known) return known
    const copy = new NestedDraft(value.model, copiedValues(value.values, copies), value.relation)
    copies.set(value, copy)
    return copy
  }
  if (!(value instanceof NestedList)) return value
  const items = value.items.map(item => {
    const known = copies.get(item) as NestedItem | undefined
    const copy = known ?? { ...item, values: copiedValues(item.values, copies) }
    copies.set(item, copy)
    return copy
  })
  return new NestedList(value.origin, items)
}

export function hasNested(values: Values): boolean {
  for (const key in values) {
    const value = values[key]
    if (value instanceof NestedDraft || value instanceof RelatedSet || value instanceof NestedList) return true
  }
  return false
}
