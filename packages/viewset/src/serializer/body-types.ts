import type { Renamed, WireName } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow } from '../model/kit.ts'
import type { KeyName, WireBody } from '../model/wire-row.ts'
import type { DeclaredField, DeclaredManyField, OwnKey, ShownKey, Taken } from './fields.ts'

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
type ColumnOf<K, C> = [C] extends [never] ? K : C
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

type Simplify<T> = { [K in keyof T]: T[K] } & {}

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
