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
  DeclaredExpression,
  DeclaredField,
  DeclaredManyField,
  OwnKey,
  Shown,
  ShownKey,
  Taken,
  TextRules,
} from './fields.ts'
import { recordSchemas } from './json-schema.ts'
import type { Complaints, ModelSerializer, ValidateContext } from './model-serializer.ts'
import { representation } from './output/representation.ts'

/** Fields beyond the model's own: relations, and values that the database or a function computes. */
type Extra<M extends Model> = Readonly<
  Record<
    string,
    | DeclaredField<unknown, unknown, FieldName<M>>
    | DeclaredManyField
    | DeclaredExpression
    | ((record: ModelRow<M>) => unknown)
  >
>
/** The column that a relation is kept in: its own name's, where it says nothing else. */
type ColumnOf<K, C> = [C] extends [never] ? K : C
type NullIn<M extends Model, K> = K extends keyof ModelRow<M> ? ModelRow<M>[K] & null : never
/** What a field beyond the model's own shows, of one record or of each of many. */
type ExtraShown<M extends Model, K, D> =
  D extends DeclaredExpression<infer Out>
    ? Out
    : D extends DeclaredField<infer Out, unknown, infer C>
      ? Out | NullIn<M, ColumnOf<K, C>>
      : D extends (record: never) => infer Value
        ? Value
        : never
type CodeOf<T> = T extends Shown<infer Code, unknown> | Taken<infer Code, unknown> ? Code : T
type WireOf<T> = T extends Shown<unknown, infer Wire> ? Wire : Json<T>
type ExtraOutput<M extends Model, X> = {
  [K in keyof X]: X[K] extends DeclaredManyField<infer Out> ? CodeOf<Out>[] : CodeOf<ExtraShown<M, K, X[K]>>
}
type ExtraData<M extends Model, X> = {
  [K in keyof X]: X[K] extends DeclaredManyField<infer Out> ? WireOf<Out>[] : WireOf<ExtraShown<M, K, X[K]>>
}

/** What a serializer knows that shows the fields `F` and `X`; of those, clients write no `R`, and they write `W` unseen. */
type TypesFor<M extends Model, F extends FieldName<M>, X, W extends FieldName<M>, R> = {
  readonly output: Simplify<Pick<ModelRow<M>, Exclude<F, keyof X>> & ExtraOutput<M, X>>
  readonly data: Simplify<Renamed<Pick<WireRow<M>, Exclude<F, keyof X>> & ExtraData<M, X>>>
  readonly input: WriteValues<M, X>
  readonly body: BodyFor<M, Exclude<F | W, keyof X | R>, Omit<X, R & keyof X>>
  readonly sortable: SortableOf<M, Exclude<F, keyof X>, X>
}

/** What stands for related records in the values of a write, until they are stored. */
type DraftsOf<M extends Model, X> = {
  [K in keyof X as DraftKey<K, X[K]>]?: X[K] extends DeclaredManyField<unknown, infer In>
    ? CodeOf<In> | undefined
    : X[K] extends DeclaredField<unknown, infer In, infer C>
      ? CodeOf<In> | ModelRow<M>[Extract<ColumnOf<K, C>, keyof ModelRow<M>>] | undefined
      : never
}
type DraftKey<K, D> =
  D extends DeclaredManyField<unknown, unknown>
    ? K
    : D extends DeclaredField<unknown, infer In, infer C>
      ? [CodeOf<In>] extends [never]
        ? never
        : ColumnOf<K, C>
      : never
/** The values of a write: the model's own, and drafts where a relation takes more than an identifier. */
type WriteValues<M extends Model, X> = [keyof DraftsOf<M, X>] extends [never]
  ? Partial<M['$inferInsert']>
  : Simplify<Omit<Partial<M['$inferInsert']>, keyof DraftsOf<M, X>> & DraftsOf<M, X>>
type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** The settings of {@link BaseModelSerializer}. */
export interface SerializerConfig<M extends Model, F extends FieldName<M>, X, W extends F, R extends F = never> {
  /**
   * What a record is called in a description of the API, in PascalCase: what is sent is then `<Name>Input` or
   * `<Name>Patch`. Default: the singular of the table's name, as in `AuthUser` for `auth_users`.
   */
  readonly name?: string
  /** The model's own fields, in the order of the wire. */
  readonly fields: readonly F[]
  /** Fields a client cannot write. The primary key, audit and soft-delete fields are read-only by themselves. */
  readonly readOnly?: readonly R[]
  /** Fields a client never sees. */
  readonly writeOnly?: readonly W[]
  /**
   * Fields beyond the model's own: relations, `ExpressionField`s, and functions that compute a value from a record. One
   * that is also in `fields` stands where it stands there, else behind them.
   */
  readonly extra?: X & Extra<M>
  /**
   * What a value must be beyond its column's type: `{ rating: z.number().min(1).max(5) }`. Null is not asked, and neither
   * are fields that nobody can write.
   */
  readonly refine?: {
    readonly [K in Exclude<NoInfer<F>, R>]?: z.ZodType<NonNullable<ModelRow<M>[K]>, NonNullable<ModelRow<M>[K]>>
  }
  /**
   * How texts are read, for tables without a column kit: `{ note: { allowBlank: true }, code: { trim: false } }`. Without
   * it, a text is trimmed and may not be blank, unless its column says otherwise.
   */
  readonly texts?: { readonly [K in Exclude<NoInfer<F>, R>]?: TextRules }
  /**
   * Rules across fields, asked once each field is valid by itself. On a PATCH, `values` holds what was sent and
   * `context.record` the rest. Returns messages by field, or nothing.
   */
  readonly validate?: (
    values: WriteValues<M, NoInfer<X>>,
    context: ValidateContext<M>,
  ) => Complaints<NoInfer<F>> | undefined | Promise<Complaints<NoInfer<F>> | undefined>
}

/**
 * The serializer of a model (SPEC, "Serializer fields"): which fields the wire shows and takes, each with the type,
 * the length and the nullability of its column. Unknown names are a `ConfigError`.
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
>(model: M, config: SerializerConfig<M, F, X, W, R>): ModelSerializer<M, TypesFor<M, Exclude<F, W>, X, W, R>> {
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

// What clients may send, and order by: what `build-fields.ts` decides at run time, once more for the compiler.

type Insert<M extends Model> = M['$inferInsert']
type SoftDelete = 'isActive' | 'deletedAt'
type Audit = 'createdAt' | 'updatedAt' | 'createdBy' | 'updatedBy'

/** The columns that no client writes: those of a soft delete, computed ones, and keys and audit fields that fill themselves. */
type Automatic<M extends Model> = {
  [K in FieldName<M>]: K extends SoftDelete
    ? K
    : K extends keyof Insert<M>
      ? K extends Audit | KeyName<M>
        ? M['_']['columns'][K]['_']['hasDefault'] extends true
          ? K
          : never
        : never
      : K
}[FieldName<M>]

/** The column that a relation is kept in: its own name's, where it says nothing else. */
/** What a relation through the column `C` takes. */
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

/** Whether the value of a column can be left out; `null` where there is no column. */
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
}
type OptionalFields<M extends Model, F extends FieldName<M>, X> = {
  [K in Exclude<F, Automatic<M>> as Optional<M, K> extends true ? K : never]?: WireBody<M>[K] | undefined
} & {
  [K in keyof X as Optional<M, WrittenColumn<M, K, X[K]>> extends true ? K : never]?:
    | Written<M, WrittenColumn<M, K, X[K]>, WrittenWire<X[K]>>
    | undefined
} & { [K in keyof X as [WrittenList<X[K]>] extends [never] ? never : K]?: WrittenList<X[K]> | undefined }

/** What a client sends to create a record with the fields `F` and `X`. */
export type BodyFor<M extends Model, F extends FieldName<M>, X> = Simplify<
  Renamed<RequiredFields<M, F, X>> & Renamed<OptionalFields<M, F, X>>
>

type Comparable = string | number | bigint | boolean | Date

/** The columns among the fields `F` and `X` that have an order, by their names on the wire. */
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
 * What one record of a serializer is called in a description of the API: the name that it is given, or else the
 * singular of its table's (`auth_users` -> `AuthUser`).
 *
 * @throws ConfigError for a name that could not name a type of a client.
 */
function recordName(subject: string, { name: table }: ModelInfo, given: unknown): string {
  if (given === undefined) return pascalCase(singularize(table)) || 'Record'
  if (typeof given === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(given)) return given
  const proposal = typeof given === 'string' ? pascalCase(given) : ''
  const example = /^[A-Z]/.test(proposal) ? proposal : 'Article'
  throw new ConfigError(subject, 'name', `must be letters and digits in PascalCase, such as "${example}"`)
}
