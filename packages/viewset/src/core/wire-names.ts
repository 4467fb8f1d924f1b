/** The type of {@link wireName}: `createdAt` -> `created_at`. */
export type WireName<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${WireName<Tail>}`
    : `_${Lowercase<Head>}${WireName<Tail>}`
  : S

/**
 * A value as JSON has it. 64-bit integers beyond 2^53 and values with a `toJSON`, such as a `Date`, become text. Keys
 * stay: those of a JSON column belong to its user.
 */
export type Json<T> = 0 extends 1 & T
  ? T
  : T extends bigint
    ? number | string
    : T extends { toJSON(): infer J }
      ? Json<J>
      : T extends object
        ? { [K in keyof T]: Json<T[K]> }
        : T

/** The same type with its field names in snake_case. */
export type Renamed<T> = { [K in keyof T as K extends string ? WireName<K> : never]: T[K] }

/** An object of code as it is sent: its JSON, with names in snake_case. */
export type Wire<T> = Renamed<Json<T>>

/**
 * The name in JSON and in the database of a name in code.
 *
 * @example
 * wireName('createdAt') // 'created_at'
 */
export function wireName<const S extends string>(name: S): WireName<S> {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) as WireName<S>
}
