import { type Column, is, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, PgArray, PgBoolean, PgDialect, PgTable } from 'drizzle-orm/pg-core'
import { bigintJson, jsonOf } from '../../core/json/json-of.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { shortenJson } from '../../core/json/shorten.ts'
import { kindValue } from '../column-kind.ts'
import { FOLDED, LETTER_CASE, LOWERED, qualifiedName, quoteName } from '../drizzle.ts'
import { dateFromPg, isoFromPgTimestamp, pgArrayText, readPgBytes } from '../values.ts'
import {
  countSome,
  type Dialect,
  type ExpressionValue,
  type FoldedColumn,
  type NamedTable,
  plainValue,
  type StoredValue,
  sqlRenderer,
  type TextMatch,
} from './dialect.ts'
import { driverError } from './fault.ts'
import { jsonString, keepingLast, quoted } from './json-text.ts'
import { isUnsupported, pgFault } from './pg-faults.ts'
import { pgRowSet, selectPgRowSet } from './pg-row-set.ts'
import { pgWriteAll } from './write-all.ts'
import { writeSpelling } from './write-text.ts'

/**
 * A sequence never goes back, so small steps are taken one by one: other transactions take numbers at the same time.
 * Users who may insert into a table need no right to its sequence.
 */
const PASS_NUMBER = `
  select case when given - last > 1000 then setval(numbers, given)
    else (select max(nextval(numbers) + 0 * step) from generate_series(1, given - last) as step) end
  from (select pg_get_serial_sequence($1, $2)::regclass as numbers, $3::bigint as given) as asked,
    lateral (select coalesce(pg_sequence_last_value(numbers), 0) as last) as reached
  where given > last and has_sequence_privilege(numbers, 'update')`

const placeholder = (position: number) => `$${position}`

/** PostgreSQL, with values in the server's text form (session in UTC, ISO dates). */
export const postgresDialect: Dialect = {
  name: 'pg',
  title: 'PostgreSQL',
  tableConfig: table => (is(table, PgTable) ? getTableConfig(table) : undefined),
  render: sqlRenderer(new PgDialect(), placeholder),
  placeholder,
  foldCase: foldInIndex,
  foldInIndex,
  indexesFoldOnlyAscii: false,
  equalsInAnyCase: ({ foldsSigma }, expression, text) => {
    const fold = foldsSigma || SIGMA.test(text) ? folded : lowered
    return sql`${fold(expression)} = ${fold(text)}`
  },
  jsonText: (expression, key) => sql`(${expression} ->> ${key})`,
  joinedJson: (object, other) => `${object} || ${other}`,
  jsonKeys: expression => sql`jsonb_object_keys(${expression}) as entry(key)`,
  beginSerializable: 'set transaction isolation level serializable',
  tryLock: 'select 1 where pg_try_advisory_xact_lock($1::bigint)',
  byCharacters: text => `${text} collate "C"`,
  letterCase: ({ collation }) => (collation === undefined ? '' : LETTER_CASE),
  // PostgreSQL's defaults are ASC NULLS LAST and DESC NULLS FIRST.
  latest: (time, other) => `greatest(${time}, ${other})`,
  laterThan: (stored, time) => `greatest(${time}, ${stored} + interval '1 microsecond')`,
  orderBy: (expression, descending) => `${expression} ${descending ? 'desc' : 'asc'}`,
  isOneOf: (expression, info, values) => sql`${expression} = any(${sql.param(values)}::${sql.raw(listType(info))})`,
  matchesText,
  searchExtension: 'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  searchIndex: null,
  datePart: (part, expression, info, timeZone) => {
    const local =
      info.kind === 'timestamp' ? sql`${inUtc(expression, info)} at time zone ${timeZone}::text` : expression
    return sql`extract(${sql.raw(part === 'iso_week_day' ? 'isodow' : part)} from ${local})`
  },
  matchesItems: (how, expression, info, items) => {
    const list = sql`${encodeKind(info, items)}::${sql.raw(info.sqlType ?? 'text[]')}`
    return sql`${expression} ${sql.raw(how === 'contains' ? '@>' : '&&')} ${list}`
  },
  // The operator `?` would be a placeholder to some drivers. It also finds a text in a list.
  hasJsonKey: (expression, key) =>
    sql`(jsonb_typeof(${expression}::jsonb) = 'object' and jsonb_exists(${expression}::jsonb, ${key}::text))`,
  countTo: (table, where, limit) => countSome(qualifiedName(table), where, limit),
  estimate: {
    explain: select => `explain (format json) ${select}`,
    read: value => {
      const [explained] = JSON.parse(String(value)) as { Plan: { 'Plan Rows': number } }[]
      return explained?.Plan['Plan Rows'] ?? 0
    },
  },
  typedPlaceholder: ({ sqlType }, position) => `${placeholder(position)}::${sqlType}`,
  selectRowSet: (columns, position) =>
    selectPgRowSet(
      columns,
      columns.map((_, i) => placeholder(position + i)),
    ),
  rowSet: pgRowSet,
  writes: { ...writeSpelling, all: pgWriteAll },
  // The weakest lock for an update: rows that refer to these by a foreign key can still be written. Only the table's
  // own rows, because rows of a left join cannot be locked.
  lockRows: (lock, table) => ` for ${lock === 'delete' ? '' : 'no key '}update of ${quoteName(table)}`,
  lockTable: table => `lock table ${table} in share row exclusive mode`,
  restrictingKeys: target => foreignKeysTo(target, " and c.confdeltype in ('a', 'r')"),
  referringKeys: target => foreignKeysTo(target, ''),
  nextNumber: (table, column) => `nextval(pg_get_serial_sequence(${textLiteral(table)}, ${textLiteral(column)}))`,
  // Two databases, or schemas, have another number for the table.
  nameOfDatabase: `select concat_ws('/', system_identifier, current_database(), to_regclass($1)::oid) from pg_control_system()`,
  passNumber: PASS_NUMBER,
  encode: (info, given) => {
    if (given === null || given === undefined) return null
    return encodeKind(info, kindValue(info, given))
  },
  encodeKind,
  decoder: recordDecoder,
  kindDecoder: decoder,
  jsonWriter,
  fault: pgFault,
  isUnsupported,
  missingTable: thrown => {
    const error = driverError(thrown)
    const { code, routine } = (error ?? {}) as { readonly code?: unknown; readonly routine?: unknown }
    // The same code stands for an existing table that is not in FROM.
    if (code !== '42P01' || routine === 'errorMissingRTE') return undefined
    // The server quotes names as its language does.
    return /["«„](.+?)["»“]/.exec(error?.message ?? '')?.[1]
  },
  findMissingTables: `
    select position - 1 from json_array_elements($1::json) with ordinality as asked(item, position)
    where to_regclass(case when item ->> 'schema' is null then '' else quote_ident(item ->> 'schema') || '.' end
      || quote_ident(item ->> 'name')) is null
    order by position`,
}

function foreignKeysTo(target: NamedTable, condition: string): string {
  const table = qualifiedName(target)
  return `select r.oid::regclass, r.relname, a.attname, t.attname from pg_constraint c
    join pg_class r on r.oid = c.conrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    join pg_attribute t on t.attrelid = c.confrelid and t.attnum = c.confkey[1]
    where c.contype = 'f'${condition} and cardinality(c.conkey) = 1
      and c.confrelid = ${textLiteral(table)}::regclass order by r.relname`
}

/** The list type without the column's limits: a cast would cut values off, which would then match others. */
function listType({ kind, sqlType = kind }: StoredValue): string {
  return `${kind === 'text' ? 'text' : (EXPRESSION_TYPES[sqlType] ?? sqlType.replace(/\s*\([^)]*\)/, ''))}[]`
}

/** The SQL types of expressions whose kind has another name. */
const EXPRESSION_TYPES: Readonly<Record<string, string>> = {
  float: 'double precision',
  decimal: 'numeric',
  timestamp: 'timestamp with time zone',
}

/** The letters that `lower` does not make one: Σ is σ, and ς stays. */
const SIGMA = /[Σσς]/

function foldInIndex(column: FoldedColumn, text: string): string {
  const [before, after] = column.foldsSigma ? FOLDED : LOWERED
  return `${before}${text}${postgresDialect.letterCase(column)}${after}`
}

function folded(text: SQL | string): SQL {
  return sql`${sql.raw(FOLDED[0])}${text}${sql.raw(FOLDED[1])}`
}

function lowered(text: SQL | string): SQL {
  return sql`lower(${text})`
}

/**
 * `like` can use trigram indexes and, at the start of a text, indexes of text patterns. The cast makes it work for
 * enums. Such indexes are over `lower`, so that a text with a sigma is found with any letter there first.
 */
function matchesText(expression: SQL, text: string, { at, ignoreCase }: TextMatch): SQL {
  const literal = text.replace(/[\\%_]/g, '\\$&')
  const pattern = `${at === 'start' ? '' : '%'}${literal}${at === 'end' ? '' : '%'}`
  if (!ignoreCase) return sql`${expression}::text like ${pattern}`
  if (!SIGMA.test(text)) return sql`lower(${expression}::text) like lower(${pattern})`
  const wider = pattern.replace(/[Σσς]/g, '_')
  return sql`(lower(${expression}::text) like lower(${wider}) and ${folded(sql`${expression}::text`)} like ${folded(pattern)})`
}

/** A timestamp without time zone is in UTC. */
function inUtc(expression: SQL, { sqlType }: StoredValue): SQL {
  return sqlType === undefined || sqlType.endsWith('with time zone')
    ? expression
    : sql`${expression} at time zone 'UTC'`
}

function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function encodeKind(info: StoredValue, value: unknown): unknown {
  const { kind, column } = info
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'array') return pgArrayText(value as readonly unknown[])
  if (kind === 'binary') return `\\x${Buffer.from(String(value), 'base64').toString('hex')}`
  // As texts, NaN and infinities can share a list with other numbers.
  const isText = typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))
  if (kind !== 'other') return isText ? String(value) : plainValue(info, value)
  const mapped = column.mapToDriverValue(value)
  // As text, bytes can share a list with those of other rows.
  return mapped instanceof Uint8Array ? `\\x${Buffer.from(mapped).toString('hex')}` : mapped
}

function recordDecoder(info: StoredValue): (raw: string) => unknown {
  const { ownType } = info
  const decode = decoder(info)
  return ownType ? raw => ownType.toRecord(decode(raw)) : decode
}

function decoder(info: StoredValue): (raw: string) => unknown {
  switch (info.kind) {
    case 'integer':
    case 'float':
      return Number
    case 'bigint':
      return BigInt
    case 'boolean':
      return raw => raw === 't'
    case 'timestamp':
      return isoFromPgTimestamp
    case 'date':
      return dateFromPg
    case 'json':
      return raw => parseJson(raw)
    case 'array': {
      const read = decoder(itemOf(info))
      return raw => readPgArray(raw, read)
    }
    case 'binary':
      return base64Of
    case 'other':
      return readerOf(info.column)
    default:
      return raw => raw
  }
}

function itemOf({ item }: StoredValue): ExpressionValue {
  return (item ?? { kind: 'text' }) as ExpressionValue
}

function base64Of(raw: string): string {
  return readPgBytes(raw).toString('base64')
}

function readerOf(column: Column): (raw: string) => unknown {
  return is(column, PgArray) ? raw => readPgArray(raw, itemReader(column)) : raw => column.mapFromDriverValue(raw)
}

function jsonWriter(info: StoredValue): (raw: string) => string {
  switch (info.kind) {
    case 'integer':
      return raw => raw
    case 'json':
      return shortenJson
    case 'float':
      // NaN and Infinity are floats in PostgreSQL but not numbers in JSON.
      return raw => (Number.isFinite(Number(raw)) ? raw : quoted(raw))
    case 'bigint':
      return raw => bigintJson(BigInt(raw))
    case 'boolean':
      return raw => (raw === 't' ? 'true' : 'false')
    case 'timestamp':
      return keepingLast(raw => quoted(isoFromPgTimestamp(raw)))
    case 'date':
      return raw => quoted(dateFromPg(raw))
    case 'uuid':
    case 'decimal':
    case 'time':
      return quoted
    case 'array': {
      const write = jsonWriter(itemOf(info))
      return raw => `[${(readPgArray(raw, write) as (string | null)[]).join()}]`
    }
    case 'binary':
      return raw => quoted(base64Of(raw))
    case 'other': {
      const read = readerOf(info.column)
      return raw => jsonOf(read(raw))
    }
    default:
      return jsonString
  }
}

/** A part of an array's text: a bracket, a comma, a quoted item or a plain item. */
const PART = /[{},]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs

/**
 * Reads PostgreSQL's text of an array. `read` gets each item that is not null.
 *
 * @example
 * readPgArray('{a,"b,c",NULL}', item => item) // ['a', 'b,c', null]
 */
function readPgArray(text: string, read: (item: string) => unknown): unknown {
  const open: unknown[][] = [[]]
  // An array with unusual bounds begins with them: `[0:1]={a,b}`.
  for (const [part, quoted] of text.slice(text.indexOf('{')).matchAll(PART)) {
    if (part === '{') open.push([])
    else if (part === '}') {
      const list = open.pop()
      open.at(-1)?.push(list)
    } else if (quoted !== undefined) open.at(-1)?.push(read(quoted.replace(/\\(.)/gs, '$1')))
    else if (part !== ',') open.at(-1)?.push(part === 'NULL' ? null : read(part))
  }
  return open[0]?.[0]
}

/**
 * Reads the items of a plain Drizzle column's array. Drizzle's reader expects an array parsed by the driver; on text it
 * takes NULL for a word and loses backslashes.
 */
function itemReader(column: Column): (item: string) => unknown {
  const itemType = itemColumn(column)
  return item => (is(itemType, PgBoolean) ? item === 't' : itemType.mapFromDriverValue(item))
}

function itemColumn(column: Column): Column {
  return is(column, PgArray) ? itemColumn(column.baseColumn) : column
}
