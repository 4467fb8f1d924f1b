import { type Column, is } from 'drizzle-orm'
import { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { decimalLimits } from '../kinds/decimal.ts'
import type { KindName, OwnType, ValueInfo } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { hasOwnForm, notedKind, splitCollation } from './drizzle-columns.ts'

/** Kinds by SQL type, without arguments. Some are type names that only a kit's SQLite columns declare. */
const KINDS: Readonly<Record<string, KindName>> = {
  text: 'text',
  varchar: 'text',
  char: 'text',
  citext: 'text',
  smallint: 'integer',
  smallserial: 'integer',
  integer: 'integer',
  serial: 'integer',
  bigint: 'bigint',
  bigserial: 'bigint',
  numeric: 'decimal',
  decimal: 'decimal',
  real: 'float',
  'double precision': 'float',
  boolean: 'boolean',
  timestamp: 'timestamp',
  'timestamp with time zone': 'timestamp',
  datetime: 'timestamp',
  date: 'date',
  uuid: 'uuid',
  'uuid text': 'uuid',
  json: 'json',
  jsonb: 'json',
}

/** Drizzle's SQLite modes share one SQL type between several kinds. */
const KINDS_BY_COLUMN_TYPE: Readonly<Record<string, KindName>> = {
  SQLiteBoolean: 'boolean',
  SQLiteTextJson: 'json',
  SQLiteBigInt: 'other',
  SQLiteTimestamp: 'timestamp',
  SQLiteBlobBuffer: 'other',
  SQLiteBlobJson: 'other',
  PgEnumColumn: 'enumeration',
}

/**
 * The kind of a Drizzle column: as its kit noted it, or else from its declared SQL type.
 *
 * @example
 * columnKind(products.price) // { kind: 'decimal', precision: 10, scale: 2 }
 */
export function columnKind(column: Column): ValueInfo {
  const { type, collation } = splitCollation(column.getSQLType())
  const kind = notedKind(column) ?? kindOfType(column, type)
  return collation === undefined ? kind : { ...kind, collation }
}

/** Limits in the type's arguments: `varchar(20)`, `numeric(10, 2)`, `smallint`. */
const LIMITS: { readonly [K in KindName]?: (limits: readonly number[], name: string) => Partial<ValueInfo> } = {
  text: ([length]) => (length ? { length } : {}),
  integer: (_, name) => ({ bits: name.startsWith('small') ? 16 : 32 }),
  bigint: () => ({ bits: 64 }),
  decimal: ([precision, scale = 0]) => (precision ? decimalLimits(precision, scale) : {}),
}

function kindOfType(column: Column, type: string): ValueInfo {
  const [, name = '', args = '', suffix = ''] = /^([a-z ]+?)\s*(?:\(([^)]*)\))?( [a-z ]+)?$/.exec(type) ?? []
  const kind = kindNameOf(column, name, suffix)
  const isEnumerated = kind === 'enumeration' || (kind === 'text' && column.enumValues?.length)
  if (isEnumerated) return { kind: 'enumeration', values: column.enumValues ?? [] }
  return { kind, ...LIMITS[kind]?.(args.split(',').map(Number), name) }
}

/** A custom type with its own conversion, such as encrypted text, has no known kind. */
function kindNameOf(column: Column, name: string, suffix: string): KindName {
  if (hasOwnForm(column)) return 'other'
  return KINDS_BY_COLUMN_TYPE[column.columnType] ?? KINDS[name + suffix] ?? KINDS[name] ?? 'other'
}

/** The type in a column's records, if the mode of a plain Drizzle column differs from the kind's own value. */
export function ownType({ dataType }: Column, info: ValueInfo): OwnType | undefined {
  return kindOf(info).recordTypes?.[dataType]
}

/** A record's value in the form of its kind. A text stays, because a cell of SQLite can hold a text in any column. */
export function kindValue({ ownType }: { readonly ownType: OwnType | undefined }, held: unknown): unknown {
  return ownType && typeof held !== 'string' ? ownType.fromRecord(held) : held
}

/**
 * Whether a column of the kind `other` can hold a client's value. If the column's functions throw, it cannot. SQLite
 * stores any value, so the value must also be readable.
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
