import type * as z from 'zod'
import type { User } from '../core/user.ts'
import type { Field, Model, Row } from '../model/kit.ts'
import { type ModelInfo, modelInfo } from '../model/model-info.ts'
import type { Values } from '../store/write.ts'
import { buildFields } from './build-fields.ts'
import type { DeclaredExpression, DeclaredField, DeclaredManyField, SerializerField } from './fields.ts'
import { type Representation, representation } from './representation.ts'

/** What a serializer's data looks like in code; on the wire its keys are in snake_case. */
export type Output<S> = S extends { readonly '~types'?: { readonly output: infer Out; readonly input: unknown } }
  ? Out
  : never
/** The values that a create or an update hands to `performCreate` and `performUpdate`. */
export type Input<S> = S extends { readonly '~types'?: { readonly output: unknown; readonly input: infer In } }
  ? In
  : never

/** Fields beyond the model's own: relations, and values that the database or a function computes. */
type Extra<M extends Model> = Readonly<
  Record<
    string,
    DeclaredField<unknown, unknown, Field<M>> | DeclaredManyField | DeclaredExpression | ((record: Row<M>) => unknown)
  >
>
/** The column that a relation is kept in: its own name's, where it says nothing else. */
type ColumnOf<K, C> = [C] extends [never] ? K : C
type NullIn<M extends Model, K> = K extends keyof Row<M> ? Row<M>[K] & null : never
type ExtraOutput<M extends Model, X> = {
  [K in keyof X]: X[K] extends DeclaredManyField<infer Out>
    ? Out[]
    : X[K] extends DeclaredExpression<infer Out>
      ? Out
      : X[K] extends DeclaredField<infer Out, unknown, infer C>
        ? Out | NullIn<M, ColumnOf<K, C>>
        : X[K] extends (record: never) => infer Value
          ? Value
          : never
}

/** What stands for related records in the values of a write, until they are stored. */
type DraftsOf<M extends Model, X> = {
  [K in keyof X as DraftKey<K, X[K]>]?: X[K] extends DeclaredManyField<unknown, infer In>
    ? In | undefined
    : X[K] extends DeclaredField<unknown, infer In, infer C>
      ? In | Row<M>[Extract<ColumnOf<K, C>, keyof Row<M>>] | undefined
      : never
}
type DraftKey<K, D> =
  D extends DeclaredManyField<unknown, unknown>
    ? K
    : D extends DeclaredField<unknown, infer In, infer C>
      ? [In] extends [never]
        ? never
        : ColumnOf<K, C>
      : never
/** The values of a write: the model's own, and drafts where a relation takes more than an identifier. */
type WriteValues<M extends Model, X> = [keyof DraftsOf<M, X>] extends [never]
  ? Partial<M['$inferInsert']>
  : Simplify<Omit<Partial<M['$inferInsert']>, keyof DraftsOf<M, X>> & DraftsOf<M, X>>
type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** What a serializer's `validate` knows beside the values. */
export interface ValidateContext<M extends Model> {
  /** The record that is to be updated; `null` for a new one. */
  readonly record: Readonly<Row<M>> | null
  readonly user: User | null
}

/** Messages by field, in code's names; those under `nonFieldErrors` belong to no field. */
export type Complaints<F extends string> = { readonly [K in F | 'nonFieldErrors']?: string | readonly string[] }

/** The settings of {@link BaseModelSerializer}. */
export interface SerializerConfig<M extends Model, F extends Field<M>, X, W extends F> {
  /** The model's own fields, in the order of the wire. */
  readonly fields: readonly F[]
  /** Fields a client cannot write. The primary key, audit and soft-delete fields are read-only by themselves. */
  readonly readOnly?: readonly NoInfer<F>[]
  /** Fields a client never sees. */
  readonly writeOnly?: readonly W[]
  /**
   * Fields beyond the model's own: relations, `ExpressionField`s, and functions that compute a value from a record. One
   * that is also in `fields` stands where it stands there, else behind them.
   */
  readonly extra?: X & Extra<M>
  /** What a value must be beyond its column's type: `{ rating: z.number().min(1).max(5) }`. Null is not asked. */
  readonly refine?: { readonly [K in NoInfer<F>]?: z.ZodType<NonNullable<Row<M>[K]>, NonNullable<Row<M>[K]>> }
  /**
   * Rules across fields, asked once each field is valid by itself. On a PATCH, `values` holds what was sent and
   * `context.record` the rest. Returns messages by field, or nothing.
   */
  readonly validate?: (
    values: WriteValues<M, NoInfer<X>>,
    context: ValidateContext<M>,
  ) => Complaints<NoInfer<F>> | undefined | Promise<Complaints<NoInfer<F>> | undefined>
}

/** Turns records of a model into JSON and JSON into values of the model; made by {@link BaseModelSerializer}. */
export interface ModelSerializer<M extends Model = Model, Out = unknown, In = unknown> {
  readonly model: M
  /** @internal */
  readonly info: ModelInfo
  readonly fields: readonly SerializerField[]
  /** @internal Shows rows that hold only what the fields need: for lists. */
  readonly listed: Representation
  /** @internal Shows rows that begin with all of the model's columns: for records. */
  readonly recorded: Representation
  /** @internal Whether there are rules across fields, which may look at the record. */
  readonly hasRules: boolean
  /** @internal */
  validateTogether(values: Values, context: ValidateContext<Model>): unknown
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out; readonly input: In }
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
  const F extends Field<M>,
  X extends Extra<M> = Record<never, never>,
  const W extends F = never,
>(
  model: M,
  config: SerializerConfig<M, F, X, W>,
): ModelSerializer<M, Simplify<Pick<Row<M>, Exclude<F, keyof X | W>> & ExtraOutput<M, X>>, WriteValues<M, X>> {
  const info = modelInfo(model)
  const fields = buildFields(info, config)
  return {
    model,
    info,
    fields,
    listed: representation(info, fields, 'needed'),
    recorded: representation(info, fields, 'all'),
    hasRules: config.validate !== undefined,
    validateTogether: (values, context) =>
      config.validate?.(values as WriteValues<M, X>, context as ValidateContext<M>),
  }
}
