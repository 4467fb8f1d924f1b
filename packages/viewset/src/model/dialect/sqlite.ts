import { is, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, SQLiteInteger, SQLiteSyncDialect, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { KindName } from '../../kinds/kind.ts'
import { kindValue } from '../column-kind.ts'
import { quoteName } from '../drizzle.ts'
import {
  countSome,
  type Dialect,
  type NamedTable,
  plainValue,
  type RowSetColumn,
  type StoredColumn,
  type StoredValue,
  sqlRenderer,
} from './dialect.ts'
import { type DatabaseFault, driverError } from './fault.ts'
import {
  isNumberTimestamp,
  sqliteDecoder,
  sqliteJsonWriter,
  sqliteKindDecoder,
  storedTimestamp,
} from './sqlite-cells.ts'
import { sqliteSearchIndex } from './sqlite-search.ts'
import { sqliteWriteAll } from './write-all.ts'
import { writeSpelling } from './write-text.ts'

/**
 * A plain `?` in a join or a LIMIT makes SQLite plan the statement again at every run, because the value may suggest
 * another index. That costs more than running it. `+?` is the same value without that effect.
 */
const placeholder = () => '+?'

function foreignKeysTo({ name, primaryKey }: NamedTable, condition: string): string {
  const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
  // A foreign key without a column refers to the primary key.
  return `select '"' || replace(t.name, '"', '""') || '"', t.name, k."from", coalesce(k."to", ${literal(primaryKey?.name ?? 'rowid')})
    from sqlite_schema as t join pragma_foreign_key_list(t.name) as k
    where t.type = 'table' and k."table" = ${literal(name)} collate nocase${condition} order by t.name`
}

/** SQLite's functions of time stop at milliseconds, so the fraction of an ISO text is counted as a number. */
function microsecondAfter(time: string): string {
  const nextSecond = `strftime('%Y-%m-%dT%H:%M:%S.000000Z', substr(${time}, 1, 19), '+1 second')`
  const nextFraction = `substr(${time}, 1, 20) || printf('%06d', substr(${time}, 21, 6) + 1) || 'Z'`
  return `case substr(${time}, 21, 6) when '999999' then ${nextSecond} else ${nextFraction} end`
}

/** SQLite, with a driver that returns integers as `bigint`. */
export const sqliteDialect: Dialect = {
  name: 'sqlite',
  title: 'SQLite',
  tableConfig: table => (is(table, SQLiteTable) ? getTableConfig(table) : undefined),
  render: sqlRenderer(new SQLiteSyncDialect(), placeholder),
  placeholder,
  foldCase: (_column, text) => `casefold(${text})`,
  foldInIndex: (_column, text) => `lower(${text})`,
  indexesFoldOnlyAscii: true,
  equalsInAnyCase: (_column, expression, text) => sql`casefold(${expression}) = casefold(${text})`,
  jsonText: (expression, key) => sql`json_extract(${expression}, ${`$."${key}"`})`,
  // Its rule that null removes a key is for the second object. Lists of ids are no null.
  joinedJson: (object, other) => `json_patch(${object}, ${other})`,
  jsonKeys: expression => sql`json_each(${expression}) as entry`,
  reusesNumbers: key => is(key, SQLiteInteger) && !key.autoIncrement,
  // Writers run one after the other.
  beginSerializable: null,
  tryLock: null,
  letterCase: () => '',
  byCharacters: text => `${text} collate binary`,
  latest: (time, other) => `max(${time}, ${other})`,
  laterThan: (stored, time) => `max(${time}, ${microsecondAfter(stored)})`,
  orderBy: (expression, descending, nullable) => {
    // SQLite's default order of NULLs is the opposite. NULLS FIRST/LAST prevents index use only if NULLs can occur.
    const nulls = nullable ? (descending ? ' nulls first' : ' nulls last') : ''
    return `${expression} ${descending ? 'desc' : 'asc'}${nulls}`
  },
  isOneOf: (expression, _info, values) => {
    return sql`${expression} in (select value from json_each(${`[${values.map(listItem).join(',')}]`}))`
  },
  matchesText: (expression, text, { at, ignoreCase }) => {
    if (at === 'end') {
      const [whole, wanted] = ignoreCase ? [sql`casefold(${expression})`, sql`casefold(${text})`] : [expression, text]
      return sql`substr(${whole}, -length(${wanted})) = ${wanted}`
    }
    // LIKE ignores the case of ASCII letters only.
    const found = ignoreCase
      ? sql`instr(casefold(${expression}), casefold(${text}))`
      : sql`instr(${expression}, ${text})`
    return at === 'start' ? sql`${found} = 1` : sql`${found} > 0`
  },
  searchExtension: null,
  searchIndex: sqliteSearchIndex,
  datePart: (part, expression, info, timeZone) => {
    const stored = info.column && isNumberTimestamp(info) ? textOfTime(expression, info) : expression
    const isLocal = info.kind === 'timestamp' && timeZone !== 'UTC'
    const local = isLocal ? sql`local_date(${stored}, ${timeZone})` : stored
    const number = (at: number) => sql`cast(substr(${local}, ${sql.raw(String(at))}, 2) as integer)`
    if (part === 'month') return number(6)
    if (part === 'day') return number(9)
    if (part === 'quarter') return sql`(${number(6)} + 2) / 3`
    return sql`(cast(strftime('%w', substr(${local}, 1, 10)) as integer) + 6) % 7 + 1`
  },
  matchesItems: (how, expression, info, items) => {
    const wanted = sql`json_each(${encodeKind(info, items)})`
    const stored = sql`(select value from json_each(${expression}))`
    if (how === 'overlaps') return sql`exists (select 1 from ${wanted} where value in ${stored})`
    return sql`(${expression} is not null and not exists (select 1 from ${wanted} where value not in ${stored}))`
  },
  hasJsonKey: (expression, key) =>
    sql`(json_type(${expression}) = 'object' and exists (select 1 from json_each(${expression}) where key = ${key}))`,
  countTo: sqliteCountTo,
  // Statistics exist only after ANALYZE. `countTo` knows more.
  estimate: null,
  typedPlaceholder: placeholder,
  // With jsonb, a row is not converted to text and parsed again for each of its values.
  selectRowSet: (columns, _position, toJoin = false) => {
    const values = columns.map((column, index) => {
      const value = valueAt(column.kind, index)
      return `${toJoin ? withAffinity(column, value) : value} as ${quoteName(column.name)}`
    })
    // A limit makes SQLite materialize the rows, for which it can build an automatic index. Otherwise it may scan the
    // rows for each row of the other table.
    const end = toJoin ? ' limit -1' : ''
    return `select ${values.join(', ')} from jsonb_each(${placeholder()}) where true${end}`
  },
  rowSet: (columns, rows) => {
    // `JSON.stringify` throws for a bigint, of which SQLite reads all 64 bits, and writes an infinite number as null.
    const isPlain = ({ kind }: RowSetColumn) => kind !== 'bigint' && kind !== 'float' && !holdsBytes(kind)
    if (columns.every(isPlain)) return [JSON.stringify(rows)]
    return [`[${rows.map(row => `[${row.map(listItem).join(',')}]`).join(',')}]`]
  },
  writes: { ...writeSpelling, all: sqliteWriteAll },
  // A writer has the whole database for itself.
  lockRows: () => '',
  lockTable: () => null,
  restrictingKeys: table => foreignKeysTo(table, " and k.on_delete in ('NO ACTION', 'RESTRICT')"),
  referringKeys: table => foreignKeysTo(table, ''),
  nameOfDatabase:
    "select case file when '' then '' else file || '/' || ? end from pragma_database_list where name = 'main'",
  // NULL in an integer primary key becomes the next number.
  nextNumber: () => 'null',
  encode: (info, given) => {
    if (given === null || given === undefined) return null
    return encodeKind(info, kindValue(info, given))
  },
  encodeKind,
  decoder: sqliteDecoder,
  kindDecoder: sqliteKindDecoder,
  jsonWriter: sqliteJsonWriter,
  fault,
  // Foreign keys lead to `main.authors`.
  missingTable: thrown => /^no such table: (?:main\.)?(.+)$/.exec(driverError(thrown)?.message ?? '')?.[1],
  findMissingTables: `
    select key from json_each(?)
    where not exists (select 1 from sqlite_schema where name = json_extract(value, '$.name') and type in ('table', 'view'))
    order by key`,
}

/** A value with the affinity of its column, so that indexes apply. Numeric types would turn dates into numbers. */
function withAffinity({ sqlType }: RowSetColumn, value: string): string {
  if (/int/i.test(sqlType)) return `cast(${value} as integer)`
  return /char|text/i.test(sqlType) ? `cast(${value} as text)` : value
}

function listItem(value: unknown): string {
  // JSON has no bytes: they travel as an array with one hex text.
  if (value instanceof Uint8Array) return `["${Buffer.from(value).toString('hex')}"]`
  // SQLite reads a number beyond the doubles as infinite.
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return value > 0 ? '9e999' : '-9e999'
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null)
}

function holdsBytes(kind: KindName): boolean {
  return kind === 'binary' || kind === 'other'
}

function valueAt(kind: KindName, index: number): string {
  const value = `json_extract(value, '$[${index}]')`
  if (!holdsBytes(kind)) return value
  return `case json_type(value, '$[${index}]') when 'array' then unhex(json_extract(value, '$[${index}][0]')) else ${value} end`
}

function encodeKind(info: StoredValue, value: unknown): unknown {
  if (info.column && isNumberTimestamp(info)) return info.column.mapToDriverValue(new Date(String(value)))
  if (info.kind === 'timestamp') return storedTimestamp(value)
  if (info.kind === 'json' || info.kind === 'array') return JSON.stringify(value)
  if (info.kind === 'binary') return Buffer.from(String(value), 'base64')
  return info.kind === 'other' ? info.column.mapToDriverValue(value) : plainValue(info, value)
}

function textOfTime(expression: SQL, { column }: StoredColumn): SQL {
  const unit = Number(column.mapFromDriverValue(1))
  return sql`strftime('%Y-%m-%dT%H:%M:%SZ', ${expression} * ${sql.raw(String(unit))} / 1000.0, 'unixepoch')`
}

const FAULTS: Readonly<Record<string, DatabaseFault['kind']>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
  SQLITE_CONSTRAINT_NOTNULL: 'notNull',
  SQLITE_CONSTRAINT_CHECK: 'check',
  SQLITE_CONSTRAINT_DATATYPE: 'badValue', // a STRICT table
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreignKey',
  SQLITE_CONSTRAINT_TRIGGER: 'restricted', // ON DELETE RESTRICT
  SQLITE_MISMATCH: 'badValue',
  SQLITE_TOOBIG: 'badValue',
}

function fault(thrown: unknown): DatabaseFault | undefined {
  const error = driverError(thrown)
  if (!error) return undefined
  // The message of better-sqlite3 for a closed connection; the error has no code.
  if (error.message === 'The database connection is not open') return { kind: 'unavailable' }
  const { code } = error as Error & { code?: unknown }
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return undefined
  if (code === 'SQLITE_BUSY_SNAPSHOT') return { kind: 'retry' }
  if (/^SQLITE_(BUSY|LOCKED|IOERR|FULL|NOMEM|CANTOPEN|READONLY|PROTOCOL)/.test(code)) return { kind: 'unavailable' }
  let kind = FAULTS[code]
  if (!kind) return undefined
  // Triggers of the application can reject rows too. ON DELETE RESTRICT has its own message.
  const isRaised = kind === 'restricted' && !error.message.includes('FOREIGN KEY')
  if (isRaised) kind = 'check'
  const columns = columnsIn(error.message)
  const constraint = constraintIn(error.message)
  return {
    kind,
    ...(columns?.length && { columns }),
    ...(constraint !== undefined && { constraint }),
    ...(isRaised && { raised: error.message }),
  }
}

/**
 * Reads `UNIQUE constraint failed: regions.country_id, regions.code` and `cannot store TEXT value in REAL column
 * t.size`.
 */
function columnsIn(message: string): readonly string[] | undefined {
  const named = /(?:(?:UNIQUE|NOT NULL) constraint failed:|value in \w+ column) (.+)$/.exec(message)?.[1]
  const columns = named?.split(', ').filter(name => name.includes('.'))
  return columns?.map(name => name.slice(name.lastIndexOf('.') + 1))
}

/** Reads `CHECK constraint failed: <name or expression>` and, for an index over one, `index 'users_email_unique'`. */
function constraintIn(message: string): string | undefined {
  return /index '(.+)'$/.exec(message)?.[1] ?? /CHECK constraint failed: (.+)$/s.exec(message)?.[1]
}

/**
 * Counts up to a limit. A whole table is counted by its pages, which is faster than row by row. The first and last
 * rowid show whether it can exceed the limit. If so, the rowids of the first `limit` + 1 rows give an estimate.
 *
 * Views and tables WITHOUT ROWID have no rowid. Its name is then null, which each subquery selects, and rows are
 * counted one by one.
 */
function sqliteCountTo(table: Pick<NamedTable, 'name'>, where: string, limit: number): string {
  const name = quoteName(table.name)
  if (where !== '') return countSome(name, where, limit)
  const rowid = (rest: string) => `(select rowid from ${name} order by rowid${rest})`
  return `select coalesce((
    with "_ends" as materialized (
      select ${rowid(' limit 1')} as low, ${rowid(' desc limit 1')} as high from (select null as rowid)
    ), "_walked" as materialized (
      select low, high, case when high - low >= ${limit} then ${rowid(` limit 1 offset ${limit}`)} end as reached
      from "_ends", (select null as rowid)
    )
    select case
      when low is null then null
      when reached is null then (select count(*) from ${name})
      else cast(max(${limit + 1}, min(${Number.MAX_SAFE_INTEGER}, 1 + ${limit}.0 * (high - low) / (reached - low))) as integer)
    end from "_walked"
  ), (${countSome(name, '', limit)}))`
}
