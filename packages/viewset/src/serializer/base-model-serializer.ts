import { singularize } from 'inflection'
import type * as z from 'zod'
import { ConfigError } from '../core/errors.ts'
import { pascalCase } from '../core/text.ts'
import type { Json, Renamed, WireName } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow } from '../model/kit.ts'
import { type ModelInfo, modelInfo } from '../model/model-info.ts'
import type { KeyName, WireBody, WireRow } from '../model/wire-row.ts'
import { buildFields, subjectOf } from './build-fields.ts'
import type {
  DeclaredColumn,
  DeclaredExpression,
  DeclaredField,
  DeclaredInput,
  DeclaredManyField,
  OwnKey,
  Shown,
  ShownKey,
  Taken,
  TextRules,
  UserTest,
} from './fields.ts'
import { recordSchemas } from './json-schema.ts'
import type { Complaints, ModelSerializer, ValidateContext } from './model-serializer.ts'
import { representation } from './output/representation.ts'

type Extra<M extends Model> = Readonly<
  Record<
    string,
    | DeclaredField<unknown, unknown, FieldName<M>>
    | DeclaredManyField
    | DeclaredExpression
    | DeclaredInput
    | DeclaredColumn<FieldName<M>>
    | ((record: ModelRow<M>) => unknown)
  >
>
type ColumnOf<K, C> = [C] extends [never] ? K : C
type NullIn<M extends Model, K> = K extends keyof ModelRow<M> ? ModelRow<M>[K] & null : never
type ExtraShown<M extends Model, K, D> =
  D extends DeclaredExpression<infer Out>
    ? Out
    : D extends DeclaredColumn<infer C>
      ? C extends keyof ModelRow<M> & keyof WireRow<M>
        ? Shown<ModelRow<M>[C], WireRow<M>[C]>
        : never
      : D extends DeclaredField<infer Out, unknown, infer C>
        ? Out | NullIn<M, ColumnOf<K, C>>
        : D extends (record: never) => infer Value
          ? Value
          : never
type CodeOf<T> = T extends Shown<infer Code, unknown> | Taken<infer Code, unknown> ? Code : T
type WireOf<T> = T extends Shown<unknown, infer Wire> ? Wire : Json<T>
/** An input is not shown. */
type ShownKeys<X, K extends keyof X> = X[K] extends DeclaredInput ? never : K
type ExtraOutput<M extends Model, X> = {
  [K in keyof X as ShownKeys<X, K>]: X[K] extends DeclaredManyField<infer Out>
    ? CodeOf<Out>[]
    : CodeOf<ExtraShown<M, K, X[K]>>
}
type ExtraData<M extends Model, X> = {
  [K in keyof X as ShownKeys<X, K>]: X[K] extends DeclaredManyField<infer Out>
    ? WireOf<Out>[]
    : WireOf<ExtraShown<M, K, X[K]>>
}

type WireOfName<K> = K extends string ? WireName<K> : never
/** `T`, whose properties `K` may be missing. */
type MayLack<T, K> = [K] extends [never] ? T : Simplify<Omit<T, K & keyof T> & Partial<Pick<T, K & keyof T>>>

/** Clients cannot write `R`, and cannot read `W`. Only some users read `B`, and only some write `V`. */
type TypesFor<M extends Model, F extends FieldName<M>, X, W extends FieldName<M>, R, B, V> = {
  readonly output: MayLack<Simplify<Pick<ModelRow<M>, Exclude<F, keyof X>> & ExtraOutput<M, X>>, B>
  readonly data: MayLack<Simplify<Renamed<Pick<WireRow<M>, Exclude<F, keyof X>> & ExtraData<M, X>>>, WireOfName<B>>
  readonly input: WriteValues<M, X>
  readonly body: MayLack<BodyFor<M, Exclude<F | W, keyof X | R>, Omit<X, R & keyof X>>, WireOfName<V>>
  readonly sortable: SortableOf<M, Exclude<F, keyof X>, X>
  readonly paths: PathsOf<X>
  readonly nested: NestedOf<X>
}

type OutputOf<D> = D extends { readonly '~types'?: { readonly output: infer Out } } ? Out : never
type NestedOf<X> = {
  [K in keyof X & string]: [Extract<OutputOf<X[K]>, Shown<unknown, object>>] extends [never] ? never : WireName<K>
}[keyof X & string]

type PathsOf<X> = {
  [K in keyof X as X[K] extends DeclaredManyField | DeclaredExpression ? K : never]: X[K] extends DeclaredManyField<
    unknown,
    unknown,
    infer R
  >
    ? { readonly model: R }
    : X[K] extends DeclaredExpression<infer Out>
      ? { readonly value: Out }
      : never
}

type DraftsOf<M extends Model, X> = {
  [K in keyof X as DraftKey<K, X[K]>]?: X[K] extends DeclaredInput<infer Out>
    ? Out | undefined
    : X[K] extends DeclaredManyField<unknown, infer In>
      ? CodeOf<In> | undefined
      : X[K] extends DeclaredField<unknown, infer In, infer C>
        ? CodeOf<In> | ModelRow<M>[Extract<ColumnOf<K, C>, keyof ModelRow<M>>] | undefined
        : never
}
type DraftKey<K, D> = D extends DeclaredManyField<unknown, unknown> | DeclaredInput
  ? K
  : D extends DeclaredField<unknown, infer In, infer C>
    ? [CodeOf<In>] extends [never]
      ? never
      : ColumnOf<K, C>
    : never
type WriteValues<M extends Model, X> = [keyof DraftsOf<M, X>] extends [never]
  ? Partial<M['$inferInsert']>
  : Simplify<Omit<Partial<M['$inferInsert']>, keyof DraftsOf<M, X>> & DraftsOf<M, X>>
type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** The settings of {@link BaseModelSerializer}. */
export interface SerializerConfig<
  M extends Model,
  F extends FieldName<M>,
  X,
  W extends F,
  R extends F = never,
  B extends string = never,
  V extends string = never,
> {
  /**
   * The record's name in the API's description, in PascalCase; inputs are then `<Name>Input` and `<Name>Patch`.
   * Default: the singular of the table's name, as in `AuthUser` for `auth_users`.
   */
  readonly name?: string
  /** The model's own fields, in the order of the JSON. */
  readonly fields: readonly F[]
  /** Fields that clients cannot write. The primary key, audit and soft-delete fields are always read-only. */
  readonly readOnly?: readonly R[]
  /** Fields that responses omit. */
  readonly writeOnly?: readonly W[]
  /**
   * Fields beyond the model's own: relations, `ExpressionField`s, and functions that compute a value from a record.
   * They come after `fields`, unless named there.
   */
  readonly extra?: X & Extra<M>
  /**
   * Rules for values beyond the column's type: `{ rating: z.number().min(1).max(5) }`. Not applied to null and to
   * read-only fields.
   */
  readonly refine?: {
    readonly [K in Exclude<NoInfer<F>, R>]?: z.ZodType<NonNullable<ModelRow<M>[K]>, NonNullable<ModelRow<M>[K]>>
  }
  /**
   * Rules for reading texts, for tables without a column kit: `{ note: { allowBlank: true }, code: { trim: false } }`.
   * By default, a text is trimmed and must not be blank, unless its column says otherwise.
   */
  readonly texts?: { readonly [K in Exclude<NoInfer<F>, R>]?: TextRules }
  /**
   * Fields that only some users read: `{ salary: user => user?.roles?.includes('office') ?? false }`. For all others the
   * field does not exist, also in filters, orderings and files.
   */
  readonly readableBy?: { readonly [K in B]: UserTest }
  /** Fields that only some users write. For all others they are read-only, also in imports. */
  readonly writableBy?: { readonly [K in V]: UserTest }
  /**
   * Rules across fields, called when each field is valid. On a PATCH, `values` holds the sent fields and
   * `context.record` the others. Returns messages by field, or nothing.
   */
  readonly validate?: (
    values: WriteValues<M, NoInfer<X>>,
    context: ValidateContext<M>,
  ) => Complaints<NoInfer<F>> | undefined | Promise<Complaints<NoInfer<F>> | undefined>
}

/**
 * The serializer of a model: the fields in requests and responses, with the type, length and nullability of their
 * columns. Unknown names are a `ConfigError`.
 *
 * @example
 * const CountrySerializer = BaseModelSerializer(countries, {
 *   fields: ['id', 'code', 'name'],
 *   readOnly: ['code'],
 *   extra: { label: country => `${country.name} (${country.code})` },
 * })
 */
export function BaseModelSerializer<
  M extends Model,
  const F extends FieldName<M>,
  X extends Extra<M> = Record<never, never>,
  const W extends F = never,
  const R extends F = never,
  const B extends string = never,
  const V extends string = never,
>(
  model: M,
  config: SerializerConfig<M, F, X, W, R, B, V>,
): ModelSerializer<M, TypesFor<M, Exclude<F, W>, X, W, R, B, V>> {
  const info = modelInfo(model)
  const fields = buildFields(info, config)
  const name = recordName(subjectOf(info), info, config.name)
  return {
    model,
    info,
    fields,
    listed: representation(info, fields, 'needed'),
    recorded: representation(info, fields, 'all'),
    ...recordSchemas(name, fields),
    hasRules: config.validate !== undefined,
    validateTogether: (values, context) =>
      config.validate?.(values as WriteValues<M, X>, context as ValidateContext<M>),
  }
}

// The fields that clients may send and order by: the types for the run-time rules in `build-fields.ts`.

type Insert<M extends Model> = M['$inferInsert']
type SoftDelete = 'isActive' | 'deletedAt'
/** One of the two alone is a column like any other. */
type SoftDeleteOf<M extends Model> = [SoftDelete] extends [FieldName<M>] ? SoftDelete : never
type Audit = 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'

/** Columns that clients cannot write: those of a soft delete, computed ones, and automatic keys and audit fields. */
type Automatic<M extends Model> = {
  [K in FieldName<M>]: K extends SoftDeleteOf<M>
    ? K
    : K extends keyof Insert<M>
      ? K extends Audit | KeyName<M>
        ? M['_']['columns'][K]['_']['hasDefault'] extends true
          ? K
          : never
        : never
      : K
}[FieldName<M>]

type Written<M extends Model, C extends FieldName<M>, Wire> =
  | (Wire extends OwnKey ? WireBody<M>[C] : Wire)
  | (ModelRow<M>[C] & null)

type WrittenColumn<M extends Model, K, D> =
  D extends DeclaredField<unknown, Taken<unknown, infer Wire>, infer C>
    ? [Wire] extends [never]
      ? never
      : Exclude<Extract<ColumnOf<K, C>, FieldName<M>>, Automatic<M>>
    : never
type WrittenWire<D> = D extends DeclaredField<unknown, Taken<unknown, infer Wire>> ? Wire : never
type WrittenList<D> = D extends DeclaredManyField<unknown, Taken<unknown, infer Wire>> ? Wire : never

type Optional<M extends Model, C> = [C] extends [never]
  ? null
  : undefined extends Insert<M>[Extract<C, keyof Insert<M>>]
    ? true
    : false

type RequiredFields<M extends Model, F extends FieldName<M>, X> = {
  [K in Exclude<F, Automatic<M>> as Optional<M, K> extends true ? never : K]: WireBody<M>[K]
} & {
  [K in keyof X as Optional<M, WrittenColumn<M, K, X[K]>> extends false ? K : never]: Written<
    M,
    WrittenColumn<M, K, X[K]>,
    WrittenWire<X[K]>
  >
} & {
  [K in keyof X as [InputOf<X[K]>] extends [never] ? never : undefined extends InputOf<X[K]> ? never : K]: InputOf<X[K]>
} & {
  [K in keyof X as Optional<M, ColumnIn<M, X[K]>> extends false ? K : never]: WireBody<M>[ColumnIn<M, X[K]>]
}
type OptionalFields<M extends Model, F extends FieldName<M>, X> = {
  [K in Exclude<F, Automatic<M>> as Optional<M, K> extends true ? K : never]?: WireBody<M>[K] | undefined
} & {
  [K in keyof X as Optional<M, WrittenColumn<M, K, X[K]>> extends true ? K : never]?:
    | Written<M, WrittenColumn<M, K, X[K]>, WrittenWire<X[K]>>
    | undefined
} & { [K in keyof X as [WrittenList<X[K]>] extends [never] ? never : K]?: WrittenList<X[K]> | undefined } & {
  [K in keyof X as undefined extends InputOf<X[K]> ? ([InputOf<X[K]>] extends [never] ? never : K) : never]?: InputOf<
    X[K]
  >
} & {
  [K in keyof X as Optional<M, ColumnIn<M, X[K]>> extends true ? K : never]?: WireBody<M>[ColumnIn<M, X[K]>] | undefined
}

/** The type that a declared input takes. */
type InputOf<D> = D extends DeclaredInput<unknown, infer In> ? In : never
/** The column that a renamed field writes. */
type ColumnIn<M extends Model, D> =
  D extends DeclaredColumn<infer C> ? Exclude<Extract<C, FieldName<M>>, Automatic<M>> : never

/** The body of a create with the fields `F` and `X`. */
export type BodyFor<M extends Model, F extends FieldName<M>, X> = Simplify<
  Renamed<RequiredFields<M, F, X>> & Renamed<OptionalFields<M, F, X>>
>

type Comparable = string | number | bigint | boolean | Date

/** The columns of `F` and `X` that have an order, by names in JSON. */
export type SortableOf<M extends Model, F extends FieldName<M>, X> = {
  [K in F as NonNullable<ModelRow<M>[K]> extends Comparable ? WireName<K> : never]: true
} & {
  [K in keyof X as X[K] extends DeclaredField<infer Out, unknown, infer C>
    ? [Out] extends [ShownKey<unknown, unknown>]
      ? WireName<Extract<ColumnOf<K, C>, string>>
      : never
    : never]: true
}

/**
 * The record's name in the API's description: the given one, or the singular of its table's name (`auth_users` ->
 * `AuthUser`).
 *
 * @throws ConfigError for a name that is not a valid type name.
 */
function recordName(subject: string, { name: table }: ModelInfo, given: unknown): string {
  if (given === undefined) return pascalCase(singularize(table)) || 'Record'
  if (typeof given === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(given)) return given
  const proposal = typeof given === 'string' ? pascalCase(given) : ''
  const example = /^[A-Z]/.test(proposal) ? proposal : 'Article'
  throw new ConfigError(subject, 'name', `must be letters and digits in PascalCase, such as "${example}"`)
}
