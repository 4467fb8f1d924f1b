/** `createdAt` -> `created_at`: what TypeScript says of {@link wireName}. */
export type WireName<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${WireName<Tail>}`
    : `_${Lowercase<Head>}${WireName<Tail>}`
  : S

/**
 * A value of code as JSON has it: 64-bit integers beyond 2^53 and what has a `toJSON`, such as a `Date`, as text. Keys
 * stay as they are: those of a JSON column are its user's.
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

/** The same with the names of its fields as the wire has them: in snake_case. */
export type Renamed<T> = { [K in keyof T as K extends string ? WireName<K> : never]: T[K] }

/** An object of code as it is sent. */
export type Wire<T> = Renamed<Json<T>>

/**
 * The name on the wire and in the database of a name in code (CONTRACT "Envelope"; DESIGN, rule 9).
 *
 * @example
 * wireName('createdAt') // 'created_at'
 */
export function wireName<const S extends string>(name: S): WireName<S> {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) as WireName<S>
}
