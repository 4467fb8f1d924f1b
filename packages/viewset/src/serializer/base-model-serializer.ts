import type * as z from 'zod'
import type { Json, Renamed } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow } from '../model/kit.ts'
import { modelInfo } from '../model/model-info.ts'
import type { WireRow } from '../model/wire-row.ts'
import type { BodyFor, SortableOf } from './body-types.ts'
import { buildFields, subjectOf } from './build-fields.ts'
import type { DeclaredExpression, DeclaredField, DeclaredManyField, Shown, Taken } from './fields.ts'
import { recordSchemas } from './json-schema.ts'
import type { Complaints, ModelSerializer, ValidateContext } from './model-serializer.ts'
import { recordName } from './record-name.ts'
import { representation } from './representation.ts'
import type { TextRules } from './text-rules.ts'

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
