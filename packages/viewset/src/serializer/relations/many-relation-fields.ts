import type { FieldName, Model, ModelRow, PrimaryKeyOf } from '../../model/kit.ts'
import type { WireBody, WireKey, WireKeyObject, WireRow } from '../../model/wire-row.ts'
import type { ListMode, NestedList, RelatedSet } from '../../records/drafts.ts'
import {
  type DeclaredManyField,
  type ManyReadSide,
  type ManyWriteSide,
  type Shown,
  type Taken,
  takesRecords,
} from '../fields.ts'
import type { ModelSerializer, SerializerBody, SerializerData, SerializerOutput } from '../model-serializer.ts'
import type { InputOptions } from './relation-fields.ts'
import type { RelatedModel } from './scoped.ts'

/** Options of a relation to many records. */
export interface ManyOptions<M extends Model, T extends Model = Model> {
  /** The records that may be linked: a model, or some of its records by `scoped(model, where)`. */
  readonly queryset: RelatedModel<M>
  /** Makes the relation read-only. */
  readonly readOnly?: boolean
  /** The join table of a many-to-many relation. Without it, the related model has a foreign key to this one. */
  readonly through?: T
  /** The join table's foreign keys to this model and to the related one, if it has further ones. */
  readonly throughFields?: readonly [source: FieldName<T>, target: FieldName<T>]
  /** The related model's foreign key to this one, if it has several. Not with `through`. */
  readonly column?: FieldName<M>
  /** The order of the related records, `-` for descending. Default: their primary key. */
  readonly ordering?: FieldName<M> | `-${FieldName<M>}` | readonly (FieldName<M> | `-${FieldName<M>}`)[]
  /**
   * Most records shown in each list. Needs `readOnly`. Default: all, up to 100,000 for a page as a whole. Beyond that,
   * the first ones of each list are shown, and `<name>_truncated: true` follows a list that has more.
   */
  readonly limit?: number
  /** Most stored records of a list. A write beyond it is a 400. Default 10,000. */
  readonly maxStored?: number
  /** Omits records outside of the queryset. Default false: stored links are shown. */
  readonly scopeReads?: boolean
}

/** Options of a relation to many records that are written as objects. */
export interface NestedOptions {
  /**
   * What happens to stored children that a list leaves out: `sync` deletes them, `merge` leaves them. Default:
   * `{ PUT: 'sync', PATCH: 'merge' }`. Not with `through`: links are always set as a whole.
   */
  readonly modes?: { readonly PUT?: ListMode; readonly PATCH?: ListMode }
  /** Most items in the list of one request. Default 1,000. */
  readonly maxItems?: number
  /**
   * Children that a list leaves out are marked as deleted, and lists show active ones only. Default false: their rows are
   * deleted. Needs `SoftDeleteMixin()` in the children's model. Not with `through`.
   */
  readonly softDelete?: boolean
}

type Serialized<S> = {
  /** Shows each of the related records, and validates those that are written as objects. */
  readonly serializer: S
}
type Item<S> = Shown<SerializerOutput<S>, SerializerData<S>>

const MANY = [
  'queryset',
  'readOnly',
  'through',
  'throughFields',
  'column',
  'ordering',
  'limit',
  'maxStored',
  'scopeReads',
]
const NESTED = ['modes', 'maxItems', 'softDelete']

type ManyFor<W extends ManyWriteSide, M extends Model, T extends Model, R extends boolean> = ManyOptions<M, T> & {
  readonly readOnly?: R
} & (W extends 'data' | 'flexible' ? NestedOptions : unknown)

/** A stored child in a list: its key, and the fields to change. */
type StoredItem<M extends Model, S> = WireKeyObject<M> & Partial<SerializerBody<S>>
type Items<W extends ManyWriteSide, M extends Model, S, R extends boolean, I = never> = Taken<
  W extends 'data' | 'flexible' ? NestedList<M> : RelatedSet<PrimaryKeyOf<M>>,
  true extends R
    ? never
    : W extends 'data'
      ? readonly (SerializerBody<S> | StoredItem<M, S>)[]
      : W extends 'flexible'
        ? readonly (WireKey<M> | SerializerBody<S> | StoredItem<M, S>)[]
        : readonly ([I] extends [never] ? WireKey<M> : I)[]
>
type ItemsByStr<M extends Model, F extends FieldName<M>, R extends boolean, C extends boolean> = Taken<
  true extends C ? NestedList<M> : RelatedSet<PrimaryKeyOf<M>>,
  true extends R ? never : readonly NonNullable<WireBody<M>[F]>[]
>

type ManyShowsData<W extends ManyWriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  T extends Model = Model,
  const R extends boolean = false,
  I = never,
>(
  options: ManyFor<W, M, T, R> & Serialized<S> & (W extends 'id' ? InputOptions<I> : unknown),
) => DeclaredManyField<Item<S>, Items<W, M, S, R, I>, M>

type ManyShowsId<W extends ManyWriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  T extends Model = Model,
  const R extends boolean = false,
  I = never,
>(
  options: ManyFor<W, M, T, R> &
    (W extends 'data' ? Serialized<S> : unknown) &
    (W extends 'id' ? InputOptions<I> : unknown),
) => DeclaredManyField<Shown<PrimaryKeyOf<M>, WireKey<M>>, Items<W, M, S, R, I>, M>

/** Options of a relation to many records that is written by texts. */
export interface StrOptions<F extends string, C extends boolean> {
  /** The field that stands for a record. */
  readonly str: F
  /** Whether a text without a record creates one, such as a new tag. Needs `through`. Default false: it is an error. */
  readonly createMissing?: C
}

type ManyShowsDataByStr = <
  M extends Model,
  S extends ModelSerializer<M>,
  const F extends FieldName<M>,
  T extends Model = Model,
  const R extends boolean = false,
  const C extends boolean = false,
>(
  options: ManyFor<'str', M, T, R> & Serialized<S> & StrOptions<F, C>,
) => DeclaredManyField<Item<S>, ItemsByStr<M, F, R, C>, M>

type ManyShowsStr = <
  M extends Model,
  const F extends FieldName<M>,
  T extends Model = Model,
  const R extends boolean = false,
  const C extends boolean = false,
>(
  options: ManyFor<'str', M, T, R> & StrOptions<F, C>,
) => DeclaredManyField<Shown<ModelRow<M>[F], WireRow<M>[F]>, ItemsByStr<M, F, R, C>, M>

function toMany(name: string, write: ManyWriteSide, read: ManyReadSide, ...further: readonly string[]) {
  const known = [...MANY, ...(takesRecords({ write }) ? NESTED : []), ...(write === 'id' ? ['input'] : []), ...further]
  return (options: object) => ({ kind: 'toMany', name, write, read, options, known }) as const
}

/**
 * A relation to many records, by a join table or by their foreign key to this model. A write takes a list of
 * identifiers, which replaces the whole set; responses show the nested records. One statement reads it for all records
 * of a page.
 *
 * @example
 * tags: ManyIdToDataField({ queryset: tags, serializer: TagSerializer, through: postTags, ordering: 'label' }),
 * comments: ManyIdToDataField({ queryset: comments, serializer: CommentSerializer, readOnly: true }),
 */
export const ManyIdToDataField: ManyShowsData<'id'> = toMany('ManyIdToDataField', 'id', 'data', 'serializer')

/**
 * The children of a record, written and shown as nested records: an order with its lines. An item with an identifier
 * changes that child, an item without one creates a child. PUT deletes the children that the list leaves out; PATCH
 * leaves them, and changes only the sent fields. All children are written with one INSERT, one UPDATE and one DELETE.
 *
 * With `through`, an item with an identifier links a stored record, an item without one creates and links it.
 *
 * @example
 * lines: ManyDataToDataField({ queryset: orderLines, serializer: OrderLineSerializer, ordering: 'position' })
 */
export const ManyDataToDataField: ManyShowsData<'data'> = toMany('ManyDataToDataField', 'data', 'data', 'serializer')

/**
 * Like {@link ManyDataToDataField}, but shown as identifiers.
 *
 * @example
 * lines: ManyDataToIdField({ queryset: orderLines, serializer: OrderLineSerializer })
 */
export const ManyDataToIdField: ManyShowsId<'data'> = toMany('ManyDataToIdField', 'data', 'id', 'serializer')

/**
 * A relation to many records, written by the values of one field, each of which must identify exactly one record, and
 * shown as the nested records.
 *
 * @example
 * tags: ManyStrToDataField({ queryset: tags, str: 'label', serializer: TagSerializer, through: postTags })
 */
export const ManyStrToDataField: ManyShowsDataByStr = toMany(
  'ManyStrToDataField',
  'str',
  'data',
  'serializer',
  'str',
  'createMissing',
)

/**
 * A relation to many records that is a list of one field's values in both directions.
 *
 * @example
 * tags: ManyStrOnlyField({ queryset: tags, str: 'label', through: postTags }) // ["urgent", "export"]
 */
export const ManyStrOnlyField: ManyShowsStr = toMany('ManyStrOnlyField', 'str', 'str', 'str', 'createMissing')

/**
 * A relation to many records that is a list of identifiers in both directions.
 *
 * @example
 * tags: ManyIdOnlyField({ queryset: tags, through: postTags })
 */
export const ManyIdOnlyField: ManyShowsId<'id'> = toMany('ManyIdOnlyField', 'id', 'id')

/**
 * Like {@link ManyDataToDataField}, but an item may also be a bare identifier, which names a stored record and changes
 * nothing of it.
 *
 * @example
 * tags: ManyFlexibleField({ queryset: tags, serializer: TagSerializer, through: postTags }) // [7, { "label": "new" }]
 */
export const ManyFlexibleField: ManyShowsData<'flexible'> = toMany(
  'ManyFlexibleField',
  'flexible',
  'data',
  'serializer',
)
