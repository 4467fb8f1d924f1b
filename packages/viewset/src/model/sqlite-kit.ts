import { sql } from 'drizzle-orm'
import {
  CheckBuilder,
  check,
  customType,
  ForeignKeyBuilder,
  IndexBuilder,
  index,
  integer,
  PrimaryKeyBuilder,
  primaryKey,
  real,
  sqliteTable,
  text,
  UniqueConstraintBuilder,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import { ConfigError } from '../core/errors.ts'
import { createKit } from './create-kit.ts'
import { sqliteDialect } from './dialect/sqlite.ts'
import { LOWERED } from './drizzle.ts'
import { jsonLiteral, type KitParts } from './kit-columns.ts'
import { decimalFromNumber } from './values.ts'

/** A double, SQLite's only inexact number, keeps 15 digits. */
const MAX_DECIMAL_DIGITS = 15

// SQLite accepts any words as a column's type and derives the affinity from them
// (https://sqlite.org/datatype3.html#determination_of_column_affinity). These names give uuids text affinity and
// decimals numeric affinity, and `columnKind` reads them.
const uuidText = customType<{ data: string; driverData: string }>({ dataType: () => 'uuid text' })
const datetime = customType<{ data: string; driverData: string }>({ dataType: () => 'datetime' })
const calendarDate = customType<{ data: string; driverData: string }>({ dataType: () => 'date' })
const timeOfDay = customType<{ data: string; driverData: string }>({ dataType: () => 'time' })
const jsonArray = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: value => JSON.stringify(value),
  fromDriver: text => JSON.parse(text),
})
const blob = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'blob',
  fromDriver: bytes => new Uint8Array(bytes),
})
const bigInteger = customType<{ data: bigint; driverData: number | bigint }>({
  dataType: () => 'bigint',
  fromDriver: BigInt,
})
const decimal = (precision: number, scale: number) =>
  customType<{ data: string; driverData: number | bigint | string }>({
    dataType: () => `decimal(${precision}, ${scale})`,
    fromDriver: value => decimalFromNumber(value, scale),
  })()

/**
 * As the primary key, it numbers itself, as on PostgreSQL. AUTOINCREMENT never gives a number again: otherwise, the
 * address and the history of a deleted record would become those of the next one.
 */
function selfNumbering() {
  const column = integer()
  const primaryKey = column.primaryKey.bind(column)
  return Object.assign(column, { primaryKey: () => primaryKey({ autoIncrement: true }) })
}

/** The parts of SQLite's kit, for a further database with SQLite's SQL. */
export const sqliteKitParts: Omit<KitParts, 'dialect'> = {
  now: sql`(strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))`,
  table: sqliteTable,
  check,
  primaryKey,
  unique,
  uniqueIndex,
  index,
  extras: [IndexBuilder, CheckBuilder, ForeignKeyBuilder, PrimaryKeyBuilder, UniqueConstraintBuilder],
  uniqueFold: LOWERED,
  searchIndex: () => undefined,
  columns: {
    text: length => (length === undefined ? text() : text({ length })),
    integer: selfNumbering,
    bigint: () => bigInteger(),
    decimal: (precision, scale) => {
      if (precision > MAX_DECIMAL_DIGITS) {
        throw new ConfigError(
          'sqlite',
          `decimal(${precision}, ${scale})`,
          `SQLite keeps at most ${MAX_DECIMAL_DIGITS} digits exactly; lower the precision or use PostgreSQL`,
        )
      }
      return decimal(precision, scale)
    },
    boolean: () => integer({ mode: 'boolean' }),
    timestamp: () => datetime(),
    date: () => calendarDate(),
    uuid: () => uuidText(),
    json: () => text({ mode: 'json' }),
    enumeration: values => text({ enum: [...values] }),
    float: () => real(),
    time: () => timeOfDay(),
    array: () => jsonArray(),
    binary: () => blob(),
    counter: () => selfNumbering().primaryKey(),
    literals: { array: jsonLiteral, bytes: bytes => `x'${Buffer.from(bytes).toString('hex')}'` },
  },
}

/** The column kit of SQLite; see {@link ColumnKit}. */
export const sqliteKit = createKit({ dialect: sqliteDialect, ...sqliteKitParts })
