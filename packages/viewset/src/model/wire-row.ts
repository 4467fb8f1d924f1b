import type { Json, Renamed } from '../core/wire-names.ts'
import type { FieldName, Model, ModelRow } from './kit.ts'

/** A row of a model in JSON, by the names of code. */
export type WireRow<M extends Model> = { [K in FieldName<M>]: WireValue<M['_']['columns'][K]['_'], ModelRow<M>[K]> }

/** Drizzle's columns with a number in records and a decimal's text in JSON, or a number that may exceed 2^53. */
type NumberOfDecimal = 'PgNumericNumber' | 'PgNumericBigInt' | 'SQLiteNumericNumber' | 'SQLiteNumericBigInt'
type NumberOfBigint = 'PgBigInt53' | 'PgBigSerial53'

/** Bytes of a kit's column are base64. A plain Drizzle column of bytes converts them itself. */
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

/** A model's primary key in JSON. */
export type WireKey<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_']['isPrimaryKey'] extends true ? WireRow<M>[K] : never
}[FieldName<M>]

/** The values that a client may send for the fields of a model, by the names of code. */
export type WireBody<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_'] extends { readonly columnType: NumberOfDecimal }
    ? number | WireRow<M>[K]
    : Unchanged<WireRow<M>[K]>
}
type Unchanged<T> = T extends readonly (infer I)[] ? readonly I[] : T

/** An object that names a record by its primary key. */
export type WireKeyObject<M extends Model> = Renamed<{ readonly [K in KeyName<M>]: WireRow<M>[K] }>
/** The name of a model's primary key in code. */
export type KeyName<M extends Model> = {
  [K in FieldName<M>]: M['_']['columns'][K]['_']['isPrimaryKey'] extends true ? K : never
}[FieldName<M>]
