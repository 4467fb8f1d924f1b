import type { FieldName, Model, PrimaryKeyOf } from '../model/kit.ts'
import type { WireKey } from '../model/wire-row.ts'
import type { RelatedSet } from '../records/drafts.ts'
import type { DeclaredManyField, Shown, Taken } from './fields.ts'
import type { ModelSerializer, SerializerData, SerializerOutput } from './model-serializer.ts'
import type { RelatedModel } from './scoped.ts'

/** What a relation to many records can be told. */
export interface ManyOptions<M extends Model, S extends ModelSerializer<M>, T extends Model> {
  /** The records that may be linked: a model, or some of its records by `scoped(model, where)`. */
  readonly queryset: RelatedModel<M>
  /** Shows each of the related records. */
  readonly serializer: S
  /** A client can only read the relation. */
  readonly readOnly?: boolean
  /** The join table of a many-to-many relation. Without it, the related model has a foreign key to this one. */
  readonly through?: T
  /** The join table's two foreign keys, to this model and to the related one, where it has more than those. */
  readonly throughFields?: readonly [source: FieldName<T>, target: FieldName<T>]
  /** The related model's foreign key to this one, where it has several. Not with `through`. */
  readonly column?: FieldName<M>
  /** The order of the related records, `-` for descending. Default: their primary key. */
  readonly ordering?: FieldName<M> | `-${FieldName<M>}` | readonly (FieldName<M> | `-${FieldName<M>}`)[]
  /**
   * Most records that are shown of each list, in their order. Needs `readOnly`. Default: all of them, up to 100,000 for
   * a page as a whole; more is an error, never a list that is cut.
   */
  readonly limit?: number
  /** Leaves records outside the queryset out. Default false: what is stored is shown. */
  readonly scopeReads?: boolean
}

const MANY = [
  'queryset',
  'serializer',
  'readOnly',
  'through',
  'throughFields',
  'column',
  'ordering',
  'limit',
  'scopeReads',
]

/**
 * A relation to many records, by a join table or by their foreign key to this model. It takes a list of identifiers on
 * write, which replaces the whole set, and shows the nested records on read. It is read by one statement for all
 * records of a page.
 *
 * @example
 * tags: ManyIdToDataField({ queryset: tags, serializer: TagSerializer, through: postTags, ordering: 'label' }),
 * comments: ManyIdToDataField({ queryset: comments, serializer: CommentSerializer, readOnly: true }),
 */
export function ManyIdToDataField<
  M extends Model,
  S extends ModelSerializer<M>,
  T extends Model = Model,
  const R extends boolean = false,
>(
  options: ManyOptions<M, S, T> & { readonly readOnly?: R },
): DeclaredManyField<
  Shown<SerializerOutput<S>, SerializerData<S>>,
  Taken<RelatedSet<PrimaryKeyOf<M>>, true extends R ? never : readonly WireKey<M>[]>
> {
  return { kind: 'toMany', name: 'ManyIdToDataField', options, known: MANY }
}
