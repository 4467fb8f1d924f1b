import { type Column, is } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Kind } from './column-kind.ts'

/** How a plain Drizzle column differs from a kit's: its records hold another type of value (DESIGN, rule 12). */
export interface OwnType {
  /** From the kind's own value (an ISO string, a decimal's text, a bigint) to what a record holds. */
  toRecord(value: unknown): unknown
  /** Back again. */
  fromRecord(value: unknown): unknown
}

const CALENDAR_DATE: OwnType = {
  toRecord: (day: string) => new Date(`${day}T00:00:00Z`),
  fromRecord: (date: Date) => date.toISOString().slice(0, 10),
}
const DATE: OwnType = {
  toRecord: (iso: string) => new Date(iso),
  // A Date has milliseconds; timestamps have six digits everywhere.
  fromRecord: (date: Date) => `${date.toISOString().slice(0, 23)}000Z`,
}
const NUMBER_OF_DECIMAL: OwnType = { toRecord: Number, fromRecord: String }
const NUMBER_OF_BIGINT: OwnType = { toRecord: Number, fromRecord: (value: number) => BigInt(value) }
const BIGINT_OF_DECIMAL: OwnType = { toRecord: BigInt, fromRecord: String }

/** The type of a column made by Drizzle in one of its modes; `undefined` where it is the kind's own. */
export function ownType({ dataType }: Column, kind: Kind): OwnType | undefined {
  if (kind === 'timestamp') return dataType === 'date' ? DATE : undefined
  if (kind === 'date') return dataType === 'date' ? CALENDAR_DATE : undefined
  if (kind === 'bigint') return dataType === 'number' ? NUMBER_OF_BIGINT : undefined
  if (kind !== 'decimal') return undefined
  return dataType === 'number' ? NUMBER_OF_DECIMAL : dataType === 'bigint' ? BIGINT_OF_DECIMAL : undefined
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
export function takes(column: Column, value: unknown): boolean {
  try {
    const stored = column.mapToDriverValue(value)
    if (is(column, SQLiteColumn)) column.mapFromDriverValue(stored)
    return true
  } catch {
    return false
  }
}
