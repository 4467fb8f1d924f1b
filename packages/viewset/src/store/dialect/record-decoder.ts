import type { Decoder, ValueKind } from './dialect.ts'

/** What a record holds, from the decoder of a column's kind: plain Drizzle columns keep types of their own. */
export function recordDecoder({ ownType }: ValueKind, decode: Decoder): Decoder {
  return ownType ? raw => ownType.toRecord(decode(raw)) : decode
}
