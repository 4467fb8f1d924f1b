import type { FieldName, Model, ModelRow, PrimaryKeyOf } from '../model/kit.ts'
import type { WireBody, WireKey, WireKeyObject, WireRow } from '../model/wire-row.ts'
import type { NestedDraft, RelatedSet } from '../records/drafts.ts'
import type { DeclaredField, DeclaredManyField, OwnKey, ReadSide, Shown, ShownKey, Taken, WriteSide } from './fields.ts'
import type { ModelSerializer, SerializerBody, SerializerData, SerializerOutput } from './model-serializer.ts'
import type { RelatedModel } from './scoped.ts'

/** What a relation to one record that can only be read can be told. */
export interface ReadOnlyOptions<M extends Model, C extends string = string, H extends boolean = boolean> {
  /** The records that may be referred to: a model, or some of its records by `scoped(model, where)`. */
  readonly queryset: RelatedModel<M>
  /** The foreign key, where it is not named after the field. */
  readonly column?: C
  /** Shows `null` instead of a record outside the queryset. Default false: what is stored is shown. */
  readonly scopeReads?: H
}

/** What every other relation to one record can be told. */
export interface ToOneOptions<M extends Model, C extends string = string, H extends boolean = boolean>
  extends ReadOnlyOptions<M, C, H> {
  /** A client can only read the relation. */
  readonly readOnly?: boolean
}
/** `R` says whether a client can only read the relation. */
type MayBeReadOnly<R extends boolean> = { readonly readOnly?: R }
type WithSerializer<S> = {
  /** Shows the related record, and validates one that is written as an object. */
  readonly serializer: S
}
type WithStr<F> = {
  /** The field that stands for a related record. */
  readonly str: F
}

type Options<W extends WriteSide, M extends Model, C extends string, H extends boolean, R extends boolean> = [
  W,
] extends [null]
  ? ReadOnlyOptions<M, C, H>
  : ToOneOptions<M, C, H> & MayBeReadOnly<R>
/** What a write takes beside the identifier in code, and all that it takes on the wire. */
type Writes<W extends WriteSide, M extends Model, S, R extends boolean> = Taken<
  W extends 'data' | 'flexible' ? NestedDraft<M> : never,
  true extends R
    ? never
    : W extends 'id'
      ? OwnKey
      : W extends 'data'
        ? SerializerBody<S> | WireKeyObject<M>
        : W extends 'flexible'
          ? OwnKey | SerializerBody<S> | WireKeyObject<M>
          : never
>
/** The same where the value of one field is written. */
type WritesStr<W extends WriteSide, M extends Model, F extends FieldName<M>, R extends boolean> = Taken<
  never,
  true extends R ? never : W extends 'str' ? NonNullable<WireBody<M>[F]> : W extends 'id' ? OwnKey : never
>
type NullIf<H extends boolean> = H extends true ? null : never
/** What the related record's serializer shows of it. */
type Nested<S> = Shown<SerializerOutput<S>, SerializerData<S>>
/** The value of one field of the related record, null where that may be null. */
type Str<M extends Model, F extends FieldName<M>> = Shown<
  NonNullable<ModelRow<M>[F]> | (ModelRow<M>[F] & null),
  WireRow<M>[F]
>

// A relation is declared by what a client writes, `W`, and what it reads: one of the interfaces below.
// `NoInfer` on a field's column: the serializer's `extra` knows all columns, and none of them is meant by that.

/** Declares a relation that shows the nested record. */
type ShowsData<W extends WriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<W, M, C, H, R> & WithSerializer<S>,
) => DeclaredField<Nested<S> | NullIf<H>, Writes<W, M, S, R>, NoInfer<C>>

/** Declares a relation that shows the identifier. */
type ShowsId<W extends WriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<W, M, C, H, R> & (W extends 'data' ? WithSerializer<S> : unknown),
) => DeclaredField<ShownKey<PrimaryKeyOf<M>, WireKey<M>> | NullIf<H>, Writes<W, M, S, R>, NoInfer<C>>

/** Declares a relation that shows one field of the related record. */
type ShowsStr<W extends WriteSide> = <
  M extends Model,
  const F extends FieldName<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<W, M, C, H, R> & WithStr<F>,
) => DeclaredField<Str<M, F> | NullIf<H>, WritesStr<W, M, F, R>, NoInfer<C>>

/** Declares a relation that is written by one field of the related record and shows the nested record. */
type ShowsDataByStr = <
  M extends Model,
  S extends ModelSerializer<M>,
  const F extends FieldName<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<'str', M, C, H, R> & WithSerializer<S> & WithStr<F>,
) => DeclaredField<Nested<S> | NullIf<H>, WritesStr<'str', M, F, R>, NoInfer<C>>

/** Declares a relation that shows what a function makes of the related record. */
type ShowsOutput = <
  M extends Model,
  Out,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<'id', M, C, H, R> & {
    /** Called for each related record; where there is none, the field is null. */
    readonly output: (record: Readonly<ModelRow<M>>) => Out
  },
) => DeclaredField<Out | NullIf<H>, Writes<'id', M, never, R>, NoInfer<C>>

const BASE = ['queryset', 'column', 'scopeReads']

/** A function that declares relations; `own` are the options that it takes beside those of every relation. */
function toOne(name: string, write: WriteSide, read: ReadSide, ...own: readonly string[]) {
  const known = [...BASE, ...(write === null ? [] : ['readOnly']), ...own]
  return (options: object = {}) => ({ kind: 'toOne', name, write, read, options, known }) as const
}

/**
 * A relation that takes an identifier on write and shows the nested record on read (SPEC, "Serializer fields").
 *
 * @example
 * BaseModelSerializer(cities, {
 *   fields: ['id', 'name'],
 *   extra: { country: IdToDataField({ queryset: countries, serializer: CountrySerializer }) },
 * })
 */
export const IdToDataField: ShowsData<'id'> = toOne('IdToDataField', 'id', 'data', 'serializer')

/**
 * A relation that takes an identifier on write and shows one field of the related record on read.
 *
 * @example
 * country: IdToStrField({ queryset: countries, str: 'name' }) // writes "0190...", reads "Chad"
 */
export const IdToStrField: ShowsStr<'id'> = toOne('IdToStrField', 'id', 'str', 'str')

/**
 * A relation that is an identifier in both directions: a plain foreign key, with a queryset of its own.
 *
 * @example
 * project: IdOnlyField({ queryset: scoped(projects, ({ user }) => eq(projects.owner, user?.id ?? '')) })
 */
export const IdOnlyField: ShowsId<'id'> = toOne('IdOnlyField', 'id', 'id')

/**
 * A relation that takes an object on write, which is created with its record, and shows its identifier on read. An
 * object that carries an identifier refers to the record that exists.
 *
 * @example
 * address: DataToIdField({ queryset: addresses, serializer: AddressSerializer })
 */
export const DataToIdField: ShowsId<'data'> = toOne('DataToIdField', 'data', 'id', 'serializer')

/**
 * A relation that takes an object on write, which is created with its record, and shows the nested record on read. An
 * object that carries an identifier refers to the record that exists.
 *
 * @example
 * address: DataToDataField({ queryset: addresses, serializer: AddressSerializer })
 */
export const DataToDataField: ShowsData<'data'> = toOne('DataToDataField', 'data', 'data', 'serializer')

/**
 * A relation that takes the value of one field on write, which must be that of exactly one record, and shows the nested
 * record on read.
 *
 * @example
 * country: StrToDataField({ queryset: countries, str: 'code', serializer: CountrySerializer }) // writes "TD"
 */
export const StrToDataField: ShowsDataByStr = toOne('StrToDataField', 'str', 'data', 'serializer', 'str')

/**
 * A relation that is the value of one field of the related record in both directions (DRF's `SlugRelatedField`).
 *
 * @example
 * country: StrOnlyField({ queryset: countries, str: 'code' })
 */
export const StrOnlyField: ShowsStr<'str'> = toOne('StrOnlyField', 'str', 'str', 'str')

/**
 * A relation that takes an identifier on write and shows what a function makes of the related record on read.
 *
 * @example
 * country: CustomOutputField({ queryset: countries, output: country => `${country.name} (${country.code})` })
 */
export const CustomOutputField: ShowsOutput = toOne('CustomOutputField', 'id', 'custom', 'output')

/**
 * A relation that takes an identifier or an object on write, like {@link IdToDataField} or {@link DataToDataField}, and
 * shows the nested record on read (SPEC, "Serializer fields"). Nothing is guessed: an object is an object, everything
 * else is an identifier.
 *
 * @example
 * author: FlexibleField({ queryset: authors, serializer: AuthorSerializer }) // "0190..." or { "name": "Ada" }
 */
export const FlexibleField: ShowsData<'flexible'> = toOne('FlexibleField', 'flexible', 'data', 'serializer')

/**
 * A relation that can only be read, as an identifier.
 *
 * @example
 * createdBy: ReadOnlyIdField({ queryset: users })
 */
export const ReadOnlyIdField: ShowsId<null> = toOne('ReadOnlyIdField', null, 'id')

/**
 * A relation that can only be read, as the nested record.
 *
 * @example
 * createdBy: ReadOnlyDataField({ queryset: users, serializer: UserReference })
 */
export const ReadOnlyDataField: ShowsData<null> = toOne('ReadOnlyDataField', null, 'data', 'serializer')

/**
 * A relation that can only be read, as one field of the related record.
 *
 * @example
 * createdBy: ReadOnlyStrField({ queryset: users, str: 'username' })
 */
export const ReadOnlyStrField: ShowsStr<null> = toOne('ReadOnlyStrField', null, 'str', 'str')

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
