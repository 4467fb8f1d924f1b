import type * as z from 'zod'
import type { FieldName, Model, ModelRow, PrimaryKeyOf } from '../../model/kit.ts'
import type { WireBody, WireKey, WireKeyObject, WireRow } from '../../model/wire-row.ts'
import type { NestedDraft } from '../../records/drafts.ts'
import type { DeclaredField, OwnKey, ReadSide, Shown, ShownKey, Taken, WriteSide } from '../fields.ts'
import type { ModelSerializer, SerializerBody, SerializerData, SerializerOutput } from '../model-serializer.ts'
import type { RelatedModel } from './scoped.ts'

/** Options of a read-only relation to one record. */
export interface ReadOnlyOptions<M extends Model, C extends string = string, H extends boolean = boolean> {
  /** The records that may be referred to: a model, or some of its records by `scoped(model, where)`. */
  readonly queryset: RelatedModel<M>
  /** The foreign key, if it has another name than the field. */
  readonly column?: C
  /** Shows `null` for a record outside of the queryset. Default false: the stored record is shown. */
  readonly scopeReads?: H
}

/** Options of a writable relation to one record. */
export interface ToOneOptions<M extends Model, C extends string = string, H extends boolean = boolean>
  extends ReadOnlyOptions<M, C, H> {
  /** Makes the relation read-only. */
  readonly readOnly?: boolean
}
/** Options of a relation that is written by identifier. */
export interface InputOptions<I> {
  /**
   * Another form of the identifier in requests: a Zod schema that makes the identifier of it. Its input is the field's
   * type in the API's description and in the typed client.
   *
   * @example
   * input: z.templateLiteral(['urn:author:', z.uuid()]).transform(urn => urn.slice('urn:author:'.length))
   */
  readonly input?: z.ZodType<unknown, I>
}
type MayBeReadOnly<R extends boolean> = { readonly readOnly?: R }
type WithSerializer<S> = {
  /** Shows the related record, and validates one written as an object. */
  readonly serializer: S
}
type WithStr<F> = {
  readonly str: F
}

type Options<W extends WriteSide, M extends Model, C extends string, H extends boolean, R extends boolean> = [
  W,
] extends [null]
  ? ReadOnlyOptions<M, C, H>
  : ToOneOptions<M, C, H> & MayBeReadOnly<R>
/** The types of a relation in writes: in code beside the identifier, and in JSON. */
type Writes<W extends WriteSide, M extends Model, S, R extends boolean, I = never> = Taken<
  W extends 'data' | 'flexible' ? NestedDraft<M> : never,
  true extends R
    ? never
    : W extends 'id'
      ? KeyOr<I>
      : W extends 'data'
        ? SerializerBody<S> | WireKeyObject<M>
        : W extends 'flexible'
          ? OwnKey | SerializerBody<S> | WireKeyObject<M>
          : never
>
type WritesStr<W extends WriteSide, M extends Model, F extends FieldName<M>, R extends boolean, I = never> = Taken<
  never,
  true extends R ? never : W extends 'str' ? NonNullable<WireBody<M>[F]> : W extends 'id' ? KeyOr<I> : never
>
/** The type of an identifier in requests, or of the other form that `input` declares. */
type KeyOr<I> = [I] extends [never] ? OwnKey : I
type WithInput<W, I> = W extends 'id' ? InputOptions<I> : unknown
type NullIf<H extends boolean> = H extends true ? null : never
type Nested<S> = Shown<SerializerOutput<S>, SerializerData<S>>
type Str<M extends Model, F extends FieldName<M>> = Shown<
  NonNullable<ModelRow<M>[F]> | (ModelRow<M>[F] & null),
  WireRow<M>[F]
>

// The interfaces of relation functions, by the written form `W` and the shown form. `NoInfer` on a field's column keeps
// the serializer's `extra` from inferring it from all columns.

type ShowsData<W extends WriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
  I = never,
>(
  options: Options<W, M, C, H, R> & WithSerializer<S> & WithInput<W, I>,
) => DeclaredField<Nested<S> | NullIf<H>, Writes<W, M, S, R, I>, NoInfer<C>>

type ShowsId<W extends WriteSide> = <
  M extends Model,
  S extends ModelSerializer<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
  I = never,
>(
  options: Options<W, M, C, H, R> & (W extends 'data' ? WithSerializer<S> : unknown) & WithInput<W, I>,
) => DeclaredField<ShownKey<PrimaryKeyOf<M>, WireKey<M>> | NullIf<H>, Writes<W, M, S, R, I>, NoInfer<C>>

type ShowsStr<W extends WriteSide> = <
  M extends Model,
  const F extends FieldName<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
  I = never,
>(
  options: Options<W, M, C, H, R> & WithStr<F> & WithInput<W, I>,
) => DeclaredField<Str<M, F> | NullIf<H>, WritesStr<W, M, F, R, I>, NoInfer<C>>

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

type ShowsStrByData = <
  M extends Model,
  S extends ModelSerializer<M>,
  const F extends FieldName<M>,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
>(
  options: Options<'data', M, C, H, R> & WithSerializer<S> & WithStr<F>,
) => DeclaredField<Str<M, F> | NullIf<H>, Writes<'data', M, S, R>, NoInfer<C>>

type ShowsOutput = <
  M extends Model,
  Out,
  const C extends string = never,
  const H extends boolean = false,
  const R extends boolean = false,
  I = never,
>(
  options: Options<'id', M, C, H, R> &
    InputOptions<I> & {
      /** Called for each related record. Without one, the field is null. */
      readonly output: (record: Readonly<ModelRow<M>>) => Out
    },
) => DeclaredField<Out | NullIf<H>, Writes<'id', M, never, R, I>, NoInfer<C>>

const BASE = ['queryset', 'column', 'scopeReads']

function toOne(name: string, write: WriteSide, read: ReadSide, ...further: readonly string[]) {
  const known = [...BASE, ...(write === null ? [] : ['readOnly']), ...(write === 'id' ? ['input'] : []), ...further]
  return (options: object = {}) => ({ kind: 'toOne', name, write, read, options, known }) as const
}

/**
 * A relation written by identifier and shown as the nested record.
 *
 * @example
 * BaseModelSerializer(cities, {
 *   fields: ['id', 'name'],
 *   extra: { country: IdToDataField({ queryset: countries, serializer: CountrySerializer }) },
 * })
 */
export const IdToDataField: ShowsData<'id'> = toOne('IdToDataField', 'id', 'data', 'serializer')

/**
 * A relation written by identifier and shown as one field of the related record.
 *
 * @example
 * country: IdToStrField({ queryset: countries, str: 'name' }) // writes "0190...", reads "Chad"
 */
export const IdToStrField: ShowsStr<'id'> = toOne('IdToStrField', 'id', 'str', 'str')

/**
 * A relation that is an identifier in both directions: a plain foreign key with its own queryset.
 *
 * @example
 * project: IdOnlyField({ queryset: scoped(projects, ({ user }) => eq(projects.owner, user?.id ?? '')) })
 */
export const IdOnlyField: ShowsId<'id'> = toOne('IdOnlyField', 'id', 'id')

/**
 * A relation written as an object, which is created with its record, and shown as an identifier. An object with an
 * identifier refers to an existing record.
 *
 * @example
 * address: DataToIdField({ queryset: addresses, serializer: AddressSerializer })
 */
export const DataToIdField: ShowsId<'data'> = toOne('DataToIdField', 'data', 'id', 'serializer')

/**
 * A relation written as an object, which is created with its record, and shown as one field of the related record. An
 * object with an identifier refers to an existing record.
 *
 * @example
 * address: DataToStrField({ queryset: addresses, serializer: AddressSerializer, str: 'city' })
 */
export const DataToStrField: ShowsStrByData = toOne('DataToStrField', 'data', 'str', 'serializer', 'str')

/**
 * A relation written as an object, which is created with its record, and shown as the nested record. An object with an
 * identifier refers to an existing record.
 *
 * @example
 * address: DataToDataField({ queryset: addresses, serializer: AddressSerializer })
 */
export const DataToDataField: ShowsData<'data'> = toOne('DataToDataField', 'data', 'data', 'serializer')

/**
 * A relation written by the value of one field, which must identify exactly one record, and shown as the nested record.
 *
 * @example
 * country: StrToDataField({ queryset: countries, str: 'code', serializer: CountrySerializer }) // writes "TD"
 */
export const StrToDataField: ShowsDataByStr = toOne('StrToDataField', 'str', 'data', 'serializer', 'str')

/**
 * A relation that is one field's value in both directions (DRF's `SlugRelatedField`).
 *
 * @example
 * country: StrOnlyField({ queryset: countries, str: 'code' })
 */
export const StrOnlyField: ShowsStr<'str'> = toOne('StrOnlyField', 'str', 'str', 'str')

/**
 * A relation written by identifier and shown as the result of a function of the related record.
 *
 * @example
 * country: CustomOutputField({ queryset: countries, output: country => `${country.name} (${country.code})` })
 */
export const CustomOutputField: ShowsOutput = toOne('CustomOutputField', 'id', 'custom', 'output')

/**
 * A relation written by identifier or as an object, like {@link IdToDataField} or {@link DataToDataField}, and shown as
 * the nested record. An object is always data; any other value is an identifier.
 *
 * @example
 * author: FlexibleField({ queryset: authors, serializer: AuthorSerializer }) // "0190..." or { "name": "Ada" }
 */
export const FlexibleField: ShowsData<'flexible'> = toOne('FlexibleField', 'flexible', 'data', 'serializer')

/**
 * A read-only relation, shown as an identifier.
 *
 * @example
 * createdBy: ReadOnlyIdField({ queryset: users })
 */
export const ReadOnlyIdField: ShowsId<null> = toOne('ReadOnlyIdField', null, 'id')

/**
 * A read-only relation, shown as the nested record.
 *
 * @example
 * createdBy: ReadOnlyDataField({ queryset: users, serializer: UserReference })
 */
export const ReadOnlyDataField: ShowsData<null> = toOne('ReadOnlyDataField', null, 'data', 'serializer')

/**
 * A read-only relation, shown as one field of the related record.
 *
 * @example
 * createdBy: ReadOnlyStrField({ queryset: users, str: 'username' })
 */
export const ReadOnlyStrField: ShowsStr<null> = toOne('ReadOnlyStrField', null, 'str', 'str')
