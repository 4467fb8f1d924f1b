import { type Column, is } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { OwnType, ValueInfo } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'

/** What a column's records hold, where that is not the kind's own value: plain Drizzle columns have modes of their own. */
export function ownType({ dataType }: Column, info: ValueInfo): OwnType | undefined {
  return kindOf(info).recordTypes?.[dataType]
}

/**
 * A record's value as its kind has it. Text is no other type's value: an SQLite cell that was not of its column's type
 * stays the text it is.
 */
export function kindValue({ ownType }: { readonly ownType: OwnType | undefined }, held: unknown): unknown {
  return ownType && typeof held !== 'string' ? ownType.fromRecord(held) : held
}

/**
 * Whether a column of the kind `other` can hold a client's value, as far as its own functions tell: one that they fail
 * at is the client's mistake. SQLite stores whatever it is given, so there it must also be possible to read it again.
 */
export function accepts(column: Column, value: unknown): boolean {
  try {
    const stored = column.mapToDriverValue(value)
    if (is(column, SQLiteColumn)) column.mapFromDriverValue(stored)
    return true
  } catch {
    return false
  }
}
