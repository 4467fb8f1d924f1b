import type { Field, Model, PrimaryKeyOf, Row } from '../model/kit.ts'
import type { NestedDraft, RelatedSet } from '../records/drafts.ts'
import type { DeclaredField, DeclaredManyField, ReadSide, WriteSide } from './fields.ts'
import type { ModelSerializer, Output } from './model-serializer.ts'
import type { RelatedModel } from './scoped.ts'

/** What every relation to one record can be told. */
export interface ToOneOptions<M extends Model, C extends string = string, H extends boolean = boolean> {
  /** The records that may be referred to: a model, or some of its records by `scoped(model, where)`. */
  readonly queryset: RelatedModel<M>
  /** A client can only read the relation. */
  readonly readOnly?: boolean
  /** The foreign key, where it is not named after the field. */
  readonly column?: C
  /** Shows `null` instead of a record outside the queryset. Default false: what is stored is shown. */
  readonly scopeReads?: H
}
interface WithSerializer<S> {
  /** Shows the related record, and validates one that is written as an object. */
  readonly serializer: S
}
interface WithStr<F> {
  /** The field that stands for a related record. */
  readonly str: F
}
type NullIf<H extends boolean> = H extends true ? null : never
// `NoInfer` on a field's column: the serializer's `extra` knows all columns, and none of them is meant by that.
type ReadOnlyOptions<O> = Omit<O, 'readOnly'>

const BASE = ['queryset', 'readOnly', 'column', 'scopeReads']

function toOne(name: string, write: WriteSide, read: ReadSide, options: object, ...more: readonly string[]) {
  const base = write === null ? BASE.filter(option => option !== 'readOnly') : BASE
  return { kind: 'toOne', name, write, read, options, known: [...base, ...more] } as const
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
export function IdToDataField<
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
>(options: ToOneOptions<M, C, H> & WithSerializer<S>): DeclaredField<Output<S> | NullIf<H>, never, NoInfer<C>> {
  return toOne('IdToDataField', 'id', 'data', options, 'serializer')
}

/**
 * A relation that takes an identifier on write and shows one field of the related record on read.
 *
 * @example
 * country: IdToStrField({ queryset: countries, str: 'name' }) // writes "0190...", reads "Chad"
 */
export function IdToStrField<
  M extends Model,
  const F extends Field<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithStr<F>,
): DeclaredField<NonNullable<Row<M>[F]> | NullOf<M, F> | NullIf<H>, never, NoInfer<C>> {
  return toOne('IdToStrField', 'id', 'str', options, 'str')
}

/** Null where the field that stands for a record may be null. */
type NullOf<M extends Model, F extends Field<M>> = Row<M>[F] & null

/**
 * A relation that is an identifier in both directions: a plain foreign key, with a queryset of its own.
 *
 * @example
 * project: IdOnlyField({ queryset: scoped(projects, ({ user }) => eq(projects.owner, user?.id ?? '')) })
 */
export function IdOnlyField<M extends Model, const C extends string = never, const H extends boolean = false>(
  options: ToOneOptions<M, C, H>,
): DeclaredField<PrimaryKeyOf<M> | NullIf<H>, never, NoInfer<C>> {
  return toOne('IdOnlyField', 'id', 'id', options)
}

/**
 * A relation that takes an object on write, which is created with its record, and shows its identifier on read. An
 * object that carries an identifier refers to the record that exists.
 *
 * @example
 * address: DataToIdField({ queryset: addresses, serializer: AddressSerializer })
 */
export function DataToIdField<
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithSerializer<S>,
): DeclaredField<PrimaryKeyOf<M> | NullIf<H>, NestedDraft<M>, NoInfer<C>> {
  return toOne('DataToIdField', 'data', 'id', options, 'serializer')
}

/**
 * A relation that takes an object on write, which is created with its record, and shows the nested record on read. An
 * object that carries an identifier refers to the record that exists.
 *
 * @example
 * address: DataToDataField({ queryset: addresses, serializer: AddressSerializer })
 */
export function DataToDataField<
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithSerializer<S>,
): DeclaredField<Output<S> | NullIf<H>, NestedDraft<M>, NoInfer<C>> {
  return toOne('DataToDataField', 'data', 'data', options, 'serializer')
}

/**
 * A relation that takes the value of one field on write, which must be that of exactly one record, and shows the nested
 * record on read.
 *
 * @example
 * country: StrToDataField({ queryset: countries, str: 'code', serializer: CountrySerializer }) // writes "TD"
 */
export function StrToDataField<
  M extends Model,
  S extends ModelSerializer<M>,
  const F extends Field<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithSerializer<S> & WithStr<F>,
): DeclaredField<Output<S> | NullIf<H>, never, NoInfer<C>> {
  return toOne('StrToDataField', 'str', 'data', options, 'serializer', 'str')
}

/**
 * A relation that is the value of one field of the related record in both directions (DRF's `SlugRelatedField`).
 *
 * @example
 * country: StrOnlyField({ queryset: countries, str: 'code' })
 */
export function StrOnlyField<
  M extends Model,
  const F extends Field<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithStr<F>,
): DeclaredField<NonNullable<Row<M>[F]> | NullOf<M, F> | NullIf<H>, never, NoInfer<C>> {
  return toOne('StrOnlyField', 'str', 'str', options, 'str')
}

/**
 * A relation that takes an identifier on write and shows what a function makes of the related record on read.
 *
 * @example
 * country: CustomOutputField({ queryset: countries, output: country => `${country.name} (${country.code})` })
 */
export function CustomOutputField<
  M extends Model,
  Out,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & {
    /** Called for each related record; where there is none, the field is null. */
    readonly output: (record: Readonly<Row<M>>) => Out
  },
): DeclaredField<Out | NullIf<H>, never, NoInfer<C>> {
  return toOne('CustomOutputField', 'id', 'custom', options, 'output')
}

/**
 * A relation that takes an identifier or an object on write, like {@link IdToDataField} or {@link DataToDataField}, and
 * shows the nested record on read (SPEC, "Serializer fields"). Nothing is guessed: an object is an object, everything
 * else is an identifier.
 *
 * @example
 * author: FlexibleField({ queryset: authors, serializer: AuthorSerializer }) // "0190..." or { "name": "Ada" }
 */
export function FlexibleField<
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ToOneOptions<M, C, H> & WithSerializer<S>,
): DeclaredField<Output<S> | NullIf<H>, NestedDraft<M>, NoInfer<C>> {
  return toOne('FlexibleField', 'flexible', 'data', options, 'serializer')
}

/**
 * A relation that can only be read, as an identifier.
 *
 * @example
 * createdBy: ReadOnlyIdField({ queryset: users })
 */
export function ReadOnlyIdField<M extends Model, const C extends string = never, const H extends boolean = false>(
  options: ReadOnlyOptions<ToOneOptions<M, C, H>>,
): DeclaredField<PrimaryKeyOf<M> | NullIf<H>, never, NoInfer<C>> {
  return toOne('ReadOnlyIdField', null, 'id', options)
}

/**
 * A relation that can only be read, as the nested record.
 *
 * @example
 * createdBy: ReadOnlyDataField({ queryset: users, serializer: UserReference })
 */
export function ReadOnlyDataField<
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ReadOnlyOptions<ToOneOptions<M, C, H>> & WithSerializer<S>,
): DeclaredField<Output<S> | NullIf<H>, never, NoInfer<C>> {
  return toOne('ReadOnlyDataField', null, 'data', options, 'serializer')
}

/**
 * A relation that can only be read, as one field of the related record.
 *
 * @example
 * createdBy: ReadOnlyStrField({ queryset: users, str: 'username' })
 */
export function ReadOnlyStrField<
  M extends Model,
  const F extends Field<M>,
  const C extends string = never,
  const H extends boolean = false,
>(
  options: ReadOnlyOptions<ToOneOptions<M, C, H>> & WithStr<F>,
): DeclaredField<NonNullable<Row<M>[F]> | NullOf<M, F> | NullIf<H>, never, NoInfer<C>> {
  return toOne('ReadOnlyStrField', null, 'str', options, 'str')
}

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
  readonly throughFields?: readonly [source: Field<T>, target: Field<T>]
  /** The related model's foreign key to this one, where it has several. Not with `through`. */
  readonly column?: Field<M>
  /** The order of the related records, `-` for descending. Default: their primary key. */
  readonly ordering?: Field<M> | `-${Field<M>}` | readonly (Field<M> | `-${Field<M>}`)[]
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
export function ManyIdToDataField<M extends Model, S extends ModelSerializer<M>, T extends Model = Model>(
  options: ManyOptions<M, S, T>,
): DeclaredManyField<Output<S>, RelatedSet<PrimaryKeyOf<M>>> {
  return { kind: 'toMany', name: 'ManyIdToDataField', options, known: MANY }
}
