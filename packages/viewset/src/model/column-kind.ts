import type { Column } from 'drizzle-orm'
import { hasOwnForm, splitCollation } from './drizzle.ts'

/** The kinds of value that Viewset knows how to validate, store and show; `other` is passed through as the driver has it. */
export type Kind =
  | 'text'
  | 'enumeration'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'uuid'
  | 'json'
  | 'other'

export interface ColumnKind {
  readonly kind: Kind
  /** Largest number of characters of a text. */
  readonly length?: number
  readonly precision?: number
  readonly scale?: number
  readonly values?: readonly string[]
  /** Range of an integer column. */
  readonly bits?: 16 | 32 | 64
  /** What a text is compared by in SQL, where the column says so. */
  readonly collation?: string
}

/** Kinds by SQL type, without arguments. Those that only a kit's SQLite columns have are declared types of its own. */
const KINDS: Readonly<Record<string, Kind>> = {
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
const KINDS_BY_COLUMN_TYPE: Readonly<Record<string, Kind>> = {
  SQLiteBoolean: 'boolean',
  SQLiteTextJson: 'json',
  SQLiteBigInt: 'other',
  SQLiteTimestamp: 'timestamp',
  SQLiteBlobBuffer: 'other',
  SQLiteBlobJson: 'other',
  PgEnumColumn: 'enumeration',
}

/**
 * Reads what a Drizzle column holds from its declared SQL type.
 *
 * @example
 * columnKind(products.price) // { kind: 'decimal', precision: 10, scale: 2 }
 */
export function columnKind(column: Column): ColumnKind {
  const { type, collation } = splitCollation(column.getSQLType())
  const kind = kindOfType(column, type)
  return collation === undefined ? kind : { ...kind, collation }
}

function kindOfType(column: Column, type: string): ColumnKind {
  const [, name = '', args = '', suffix = ''] = /^([a-z ]+?)\s*(?:\(([^)]*)\))?( [a-z ]+)?$/.exec(type) ?? []
  const kind = kindOf(column, name, suffix)
  const [first, second] = args.split(',').map(Number)
  switch (kind) {
    case 'text':
      if (column.enumValues?.length) return { kind: 'enumeration', values: column.enumValues }
      return first ? { kind, length: first } : { kind }
    case 'enumeration':
      return { kind, values: column.enumValues ?? [] }
    case 'integer':
      return { kind, bits: name.startsWith('small') ? 16 : 32 }
    case 'bigint':
      return { kind, bits: 64 }
    case 'decimal':
      return first ? { kind, precision: first, scale: second ?? 0 } : { kind }
    default:
      return { kind }
  }
}

/** A custom type that turns values into a form of its own, such as an encrypted text, is known to itself only. */
function kindOf(column: Column, name: string, suffix: string): Kind {
  if (hasOwnForm(column)) return 'other'
  return KINDS_BY_COLUMN_TYPE[column.columnType] ?? KINDS[name + suffix] ?? KINDS[name] ?? 'other'
}
