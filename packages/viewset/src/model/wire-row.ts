import type { Json, Renamed } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow } from './kit.ts'

/** A row of a model as JSON has it, still by the names of code. */
export type WireRow<M extends Model> = { [K in FieldName<M>]: WireValue<M['_']['columns'][K]['_'], ModelRow<M>[K]> }

/** Drizzle's columns whose records hold a number where the wire has a decimal's text, or what may be too large for one. */
type NumberOfDecimal = 'PgNumericNumber' | 'PgNumericBigInt' | 'SQLiteNumericNumber' | 'SQLiteNumericBigInt'
type NumberOfBigint = 'PgBigInt53' | 'PgBigSerial53'

/** Bytes of a kit's column, which are base64. What a plain Drizzle column makes of bytes is known to itself only. */
type KitBytes = {
  readonly references: unknown
  readonly data: Uint8Array
}

type WireValue<C, T> = C extends { readonly columnType: NumberOfDecimal }
  ? string | (T & null)
  : C extends { readonly columnType: NumberOfBigint }
    ? number | string | (T & null)
    : C extends KitBytes
      ? string | (T & null)
      : Json<T>

/** A model's primary key as JSON has it. */
export type WireKey<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_']['isPrimaryKey'] extends true ? WireRow<M>[K] : never
}[FieldName<M>]

/** What a client may send for each field of a model, still by the names of code. */
export type WireBody<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_'] extends { readonly columnType: NumberOfDecimal }
    ? number | WireRow<M>[K]
    : Unchanged<WireRow<M>[K]>
}
/** A list that is sent may be one that nobody may change. */
type Unchanged<T> = T extends readonly (infer I)[] ? readonly I[] : T

/** An object that names a record by its primary key. */
export type WireKeyObject<M extends Model> = Renamed<{ readonly [K in KeyName<M>]: WireRow<M>[K] }>
/** The name of a model's primary key in code. */
export type KeyName<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_']['isPrimaryKey'] extends true ? K : never
}[FieldName<M>]
