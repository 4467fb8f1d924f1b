import type { Model } from '../model/kit.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Scope } from '../store/projection.ts'
import type { QuerySet } from '../store/queryset.ts'
import type { ToManyRelation } from '../store/to-many.ts'
import type { Values } from '../store/write/write.ts'

/** The relation that a new record comes in by. */
export interface DraftedRelation {
  /** The field's name on the wire, for messages. */
  readonly wire: string
  /** What the foreign key will hold of the new record. */
  readonly target: ColumnInfo
  /** The related records that there are for the field. */
  readonly scope: Scope | undefined
  /** The records that a new one must be among besides. */
  readonly within: QuerySet | undefined
}

/**
 * A related record that a client described and that is not stored yet. It stands where the foreign key will stand, and
 * is created with the record that refers to it, before it and in the same transaction.
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
 * The records that are to make up a to-many relation, by their identifiers. It is written behind the record itself, in
 * the same transaction.
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

  /** The same relation with other records. */
  with(keys: readonly K[]): RelatedSet<K> {
    return new RelatedSet(this.relation, keys)
  }
}

/** Whether a write has to do with other records than its own. */
export function hasNested(values: Values): boolean {
  for (const key in values) {
    const value = values[key]
    if (value instanceof NestedDraft || value instanceof RelatedSet) return true
  }
  return false
}
