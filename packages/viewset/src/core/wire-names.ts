/** `createdAt` -> `created_at`: what TypeScript says of {@link wireName}. */
export type WireName<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${WireName<Tail>}`
    : `_${Lowercase<Head>}${WireName<Tail>}`
  : S

/** Data of code as its JSON is typed: keys in snake_case at any depth, 64-bit integers beyond 2^53 as strings. */
export type Wire<T> = T extends readonly (infer Item)[]
  ? Wire<Item>[]
  : T extends bigint
    ? number | string
    : T extends object
      ? { [K in keyof T as K extends string ? WireName<K> : never]: Wire<T[K]> }
      : T

/**
 * The name on the wire and in the database of a name in code (CONTRACT "Envelope"; DESIGN, rule 9).
 *
 * @example
 * wireName('createdAt') // 'created_at'
 */
export function wireName<const S extends string>(name: S): WireName<S> {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) as WireName<S>
}
