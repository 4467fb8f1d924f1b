import type { Column } from 'drizzle-orm'
import { decimalLimits } from '../kinds/decimal.ts'
import type { KindName, ValueInfo } from '../kinds/kind.ts'
import { hasOwnForm, notedKind, splitCollation } from './drizzle-columns.ts'

/** Kinds by SQL type, without arguments. Those that only a kit's SQLite columns have are declared types of its own. */
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

/** Drizzle's own SQLite modes, which share one SQL type between several kinds. */
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
 * Reads what a Drizzle column holds: from what its kit has noted, else from its declared SQL type.
 *
 * @example
 * columnKind(products.price) // { kind: 'decimal', precision: 10, scale: 2 }
 */
export function columnKind(column: Column): ValueInfo {
  const { type, collation } = splitCollation(column.getSQLType())
  const kind = notedKind(column) ?? kindOfType(column, type)
  return collation === undefined ? kind : { ...kind, collation }
}

/** Limits that stand in a type: `varchar(20)`, `numeric(10, 2)`, `smallint`. */
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

/** A custom type that turns values into a form of its own, such as an encrypted text, is known to itself only. */
function kindNameOf(column: Column, name: string, suffix: string): KindName {
  if (hasOwnForm(column)) return 'other'
  return KINDS_BY_COLUMN_TYPE[column.columnType] ?? KINDS[name + suffix] ?? KINDS[name] ?? 'other'
}
