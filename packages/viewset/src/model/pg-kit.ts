import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  CheckBuilder,
  check,
  customType,
  date,
  doublePrecision,
  ForeignKeyBuilder,
  IndexBuilder,
  index,
  integer,
  jsonb,
  numeric,
  type PgColumnBuilder,
  PrimaryKeyBuilder,
  pgTable,
  text,
  time,
  UniqueConstraintBuilder,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { createKit } from './create-kit.ts'
import { postgresDialect } from './dialect/postgres.ts'
import { type KitParts, quoteText } from './kit-columns.ts'
import { bytesFromPg, isoFromPgTimestamp, pgArrayText } from './values.ts'

/** PostgreSQL prints its own timestamp format; code and wire use ISO 8601. */
const isoTimestamp = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (6) with time zone',
  fromDriver: isoFromPgTimestamp,
})

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array | string }>({
  dataType: () => 'bytea',
  fromDriver: bytesFromPg,
})

/** UTF-8 has the order of the code points, which is what "C" compares; Drizzle takes it as a part of the type. */
const textByCodePoint = (length: number | undefined) =>
  customType<{ data: string; driverData: string }>({
    dataType: () => `${length === undefined ? 'text' : `varchar(${length})`} collate "C"`,
  })()

/** An integer that numbers its rows where it is the primary key, as on SQLite. A number may be given all the same. */
function selfNumbering() {
  const column = integer()
  const primaryKey = column.primaryKey.bind(column)
  return Object.assign(column, { primaryKey: () => primaryKey().generatedByDefaultAsIdentity() })
}

/** What PostgreSQL's kit is made of, for the kit of a further database that speaks its language. */
export const pgKitParts: Omit<KitParts, 'dialect'> = {
  now: sql`now()`,
  table: pgTable,
  check,
  unique,
  uniqueIndex,
  index,
  extras: [IndexBuilder, CheckBuilder, ForeignKeyBuilder, PrimaryKeyBuilder, UniqueConstraintBuilder],
  searchIndex: (name, folded) => {
    const [first, ...others] = folded.map(text => sql`${text} gin_trgm_ops`)
    return first && index(name).using('gin', first, ...others)
  },
  columns: {
    text: (length, collation) => {
      if (collation === 'codepoint') return textByCodePoint(length)
      return length === undefined ? text() : varchar({ length })
    },
    integer: selfNumbering,
    bigint: () => bigint({ mode: 'bigint' }),
    decimal: (precision, scale) => numeric({ precision, scale }),
    boolean: () => boolean(),
    timestamp: () => isoTimestamp(),
    date: () => date({ mode: 'string' }),
    uuid: () => uuid(),
    json: () => jsonb(),
    enumeration: values => text({ enum: values }),
    float: () => doublePrecision(),
    time: () => time(),
    // The kit makes no other builders than PostgreSQL's own.
    array: of => (of as PgColumnBuilder).array(),
    binary: () => bytea(),
    literals: {
      array: items => quoteText(pgArrayText(items)),
      bytes: bytes => `'\\x${Buffer.from(bytes).toString('hex')}'`,
    },
  },
}

/** The column kit of PostgreSQL; see {@link ColumnKit}. */
export const pgKit = createKit({ dialect: postgresDialect, ...pgKitParts })
