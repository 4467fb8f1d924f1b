import type * as z from 'zod'
import type { User } from '../core/user.ts'
import type { Json, Renamed } from '../core/wire-names.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Field, Model, Row } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { WireRow } from '../model/wire-row.ts'
import type { Values } from '../store/write.ts'
import type { DeclaredExpression, DeclaredField, DeclaredManyField, SerializerField, Shown } from './fields.ts'
import type { Representation } from './row-writer.ts'

/** What a serializer knows of its data at compile time. */
export interface SerializerTypes {
  readonly output: unknown
  readonly data: unknown
  readonly input: unknown
}
type TypesOf<S> = S extends { readonly '~types'?: infer T } ? Extract<T, SerializerTypes> : never

/** What a serializer's data looks like in code: its fields by their names in code, with the values of records. */
export type Output<S> = TypesOf<S>['output']
/** A record's data as it is sent: fields in snake_case, with the values of JSON. JSON columns are what they are. */
export type Data<S> = TypesOf<S>['data']
/** The values that a create or an update hands to `performCreate` and `performUpdate`. */
export type Input<S> = TypesOf<S>['input']

/** Fields beyond the model's own: relations, and values that the database or a function computes. */
export type Extra<M extends Model> = Readonly<
  Record<
    string,
    DeclaredField<unknown, unknown, Field<M>> | DeclaredManyField | DeclaredExpression | ((record: Row<M>) => unknown)
  >
>
/** The column that a relation is kept in: its own name's, where it says nothing else. */
type ColumnOf<K, C> = [C] extends [never] ? K : C
type NullIn<M extends Model, K> = K extends keyof Row<M> ? Row<M>[K] & null : never
/** What a field beyond the model's own shows, of one record or of each of many. */
type ExtraShown<M extends Model, K, D> =
  D extends DeclaredExpression<infer Out>
    ? Out
    : D extends DeclaredField<infer Out, unknown, infer C>
      ? Out | NullIn<M, ColumnOf<K, C>>
      : D extends (record: never) => infer Value
        ? Value
        : never
type CodeOf<T> = T extends Shown<infer Code, unknown> ? Code : T
type WireOf<T> = T extends Shown<unknown, infer Wire> ? Wire : Json<T>
type ExtraOutput<M extends Model, X> = {
  [K in keyof X]: X[K] extends DeclaredManyField<infer Out> ? CodeOf<Out>[] : CodeOf<ExtraShown<M, K, X[K]>>
}
type ExtraData<M extends Model, X> = {
  [K in keyof X]: X[K] extends DeclaredManyField<infer Out> ? WireOf<Out>[] : WireOf<ExtraShown<M, K, X[K]>>
}

/** What a serializer with the fields `F` and `X` knows. */
export type TypesFor<M extends Model, F extends Field<M>, X> = {
  readonly output: Simplify<Pick<Row<M>, Exclude<F, keyof X>> & ExtraOutput<M, X>>
  readonly data: Simplify<Renamed<Pick<WireRow<M>, Exclude<F, keyof X>> & ExtraData<M, X>>>
  readonly input: WriteValues<M, X>
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
export type WriteValues<M extends Model, X> = [keyof DraftsOf<M, X>] extends [never]
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

/** The settings of `BaseModelSerializer`. */
export interface SerializerConfig<M extends Model, F extends Field<M>, X, W extends F, R extends F = never> {
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
    readonly [K in Exclude<NoInfer<F>, R>]?: z.ZodType<NonNullable<Row<M>[K]>, NonNullable<Row<M>[K]>>
  }
  /**
   * Rules across fields, asked once each field is valid by itself. On a PATCH, `values` holds what was sent and
   * `context.record` the rest. Returns messages by field, or nothing.
   */
  readonly validate?: (
    values: WriteValues<M, NoInfer<X>>,
    context: ValidateContext<M>,
  ) => Complaints<NoInfer<F>> | undefined | Promise<Complaints<NoInfer<F>> | undefined>
}

/** Turns records of a model into JSON and JSON into values of the model; made by `BaseModelSerializer`. */
export interface ModelSerializer<M extends Model = Model, T extends SerializerTypes = SerializerTypes> {
  readonly model: M
  /** @internal */
  readonly info: ModelInfo
  /** @internal */
  readonly fields: readonly SerializerField[]
  /**
   * What a client may send for one record, as JSON Schema (draft 2020-12); with `partial`, as a PATCH has it. Rules
   * across fields are not part of it, and neither is what is unique or has to exist.
   *
   * @example
   * CountrySerializer.inputSchema({ partial: true }) // { type: 'object', properties: { name: { type: 'string' } } }
   */
  inputSchema(options?: { readonly partial?: boolean }): JsonSchema
  /** What a client gets of one record, as JSON Schema (draft 2020-12). */
  outputSchema(): JsonSchema
  /** @internal Shows rows that hold only what the fields need: for lists. */
  readonly listed: Representation
  /** @internal Shows rows that begin with all of the model's columns: for records. */
  readonly recorded: Representation
  /** @internal Whether there are rules across fields, which may look at the record. */
  readonly hasRules: boolean
  /** @internal */
  validateTogether(values: Values, context: ValidateContext<Model>): unknown
  /** Types only; absent at run time. */
  readonly '~types'?: T
}
