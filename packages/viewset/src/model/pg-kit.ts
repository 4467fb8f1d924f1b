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
  primaryKey,
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
import { FOLDED } from './drizzle.ts'
import { type KitParts, quoteText } from './kit-columns.ts'
import { bytesFromPg, isoFromPgTimestamp, pgArrayText } from './values.ts'

/** PostgreSQL has its own timestamp format; code and JSON use ISO 8601. */
const isoTimestamp = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (6) with time zone',
  fromDriver: isoFromPgTimestamp,
})

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array | string }>({
  dataType: () => 'bytea',
  fromDriver: bytesFromPg,
})

/** "C" compares UTF-8 bytes, which is the order of code points. Drizzle accepts the collation as part of the type. */
const textByCodePoint = (length: number | undefined) =>
  customType<{ data: string; driverData: string }>({
    dataType: () => `${length === undefined ? 'text' : `varchar(${length})`} collate "C"`,
  })()

/** As the primary key, it numbers itself, as on SQLite. An explicit number is allowed. */
function selfNumbering() {
  const column = integer()
  const primaryKey = column.primaryKey.bind(column)
  return Object.assign(column, { primaryKey: () => primaryKey().generatedByDefaultAsIdentity() })
}

/** The parts of PostgreSQL's kit, for a further database with PostgreSQL's SQL. */
export const pgKitParts: Omit<KitParts, 'dialect'> = {
  now: sql`now()`,
  table: pgTable,
  check,
  primaryKey,
  unique,
  uniqueIndex,
  index,
  extras: [IndexBuilder, CheckBuilder, ForeignKeyBuilder, PrimaryKeyBuilder, UniqueConstraintBuilder],
  uniqueFold: FOLDED,
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
    // The kit makes only PostgreSQL's builders.
    array: of => (of as PgColumnBuilder).array(),
    binary: () => bytea(),
    counter: () => bigint({ mode: 'number' }).primaryKey().generatedByDefaultAsIdentity(),
    literals: {
      array: items => quoteText(pgArrayText(items)),
      bytes: bytes => `'\\x${Buffer.from(bytes).toString('hex')}'`,
    },
  },
}

/** The column kit of PostgreSQL; see {@link ColumnKit}. */
export const pgKit = createKit({ dialect: postgresDialect, ...pgKitParts })
