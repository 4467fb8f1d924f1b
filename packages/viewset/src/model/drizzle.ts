// All use of Drizzle's private data stands here, in dialect.ts and in drizzle-columns.ts, so that a new release of
// Drizzle can break only these files.
import {
  Column,
  getTableColumns,
  getTableName,
  is,
  isSQLWrapper,
  Name,
  Param,
  Placeholder,
  SQL,
  StringChunk,
  Table,
} from 'drizzle-orm'
import { PgArray, PgEnumColumn } from 'drizzle-orm/pg-core'
import { columnKind } from './column-kind.ts'
import { splitCollation } from './drizzle-columns.ts'

export interface UniqueConfig {
  readonly name: string | undefined
  readonly columns: readonly Column[]
  readonly ignoreCase: boolean
  /** The columns whose index takes `ς` for `σ`. */
  readonly foldingSigma?: readonly Column[]
}

export interface PartialUniqueConfig extends UniqueConfig {
  readonly where: SQL
  readonly whereColumns: readonly Column[]
}

interface NamedColumns {
  readonly name: string
  readonly columns: readonly Column[]
}

interface CheckConfig extends NamedColumns {
  readonly condition: SQL
}

/** The result of `getTableConfig` of any Drizzle dialect. */
export interface DrizzleTableConfig {
  readonly name: string
  readonly schema?: string | undefined
  readonly columns: readonly Column[]
  readonly indexes: readonly {
    readonly config: {
      readonly name?: string | undefined
      readonly columns: readonly unknown[]
      readonly unique?: boolean | undefined
      readonly where?: SQL | undefined
    }
  }[]
  readonly primaryKeys: readonly { readonly columns: readonly Column[] }[]
  readonly uniqueConstraints: readonly { readonly columns: readonly Column[]; getName(): string | undefined }[]
  readonly checks: readonly { readonly name: string; readonly value: SQL }[]
  readonly foreignKeys: readonly {
    readonly onDelete: string | undefined
    readonly onUpdate: string | undefined
    reference(): {
      readonly columns: readonly Column[]
      readonly foreignTable: Table
      readonly foreignColumns: readonly Column[]
    }
  }[]
}

export interface TableConfig {
  readonly name: string
  readonly schema: string | undefined
  readonly columns: ReadonlyMap<string, Column>
  readonly primaryKeys: readonly (readonly Column[])[]
  readonly uniques: readonly UniqueConfig[]
  readonly partialUniques: readonly PartialUniqueConfig[]
  /** Includes indexes over part of the rows and over expressions. */
  readonly uniqueIndexes: readonly NamedColumns[]
  readonly checks: readonly CheckConfig[]
  readonly foreignKeys: readonly ForeignKeyConfig[]
  /** Foreign keys by which the database itself deletes or changes rows. */
  readonly keyActions: readonly KeyActionConfig[]
}

export interface ForeignKeyConfig {
  readonly column: Column
  readonly target: Table
  readonly targetColumn: Column
  readonly restrictsDelete: boolean
}

interface KeyActionConfig {
  readonly columns: readonly Column[]
  /** Whether it changes rows, beside deletions. */
  readonly changes: boolean
}

export function readTable(table: Table, config: DrizzleTableConfig): TableConfig {
  const uniqueIndexes = config.indexes.map(index => index.config).filter(index => index.unique)
  return {
    name: config.name,
    schema: config.schema,
    columns: new Map(Object.entries(getTableColumns(table))),
    primaryKeys: [
      ...config.columns.filter(column => column.primary).map(column => [column]),
      ...config.primaryKeys.map(key => key.columns),
    ],
    uniques: [
      ...config.columns
        .filter(column => column.isUnique)
        .map(column => ({ name: column.uniqueName, columns: [column], ignoreCase: false })),
      ...config.uniqueConstraints.map(unique => ({
        name: unique.getName(),
        columns: unique.columns,
        ignoreCase: false,
      })),
      ...uniqueIndexes
        .filter(index => !index.where)
        .flatMap(index => uniqueIndex(index.name, index.columns, config.columns)),
    ],
    partialUniques: uniqueIndexes.flatMap(({ name, columns, where }) =>
      where && isAboutRow(where, table)
        ? uniqueIndex(name, columns, config.columns).map(unique => ({
            ...unique,
            where,
            whereColumns: columnsIn([where], config.columns),
          }))
        : [],
    ),
    uniqueIndexes: uniqueIndexes.map(({ name = '', columns }) => ({
      name,
      columns: columnsIn(columns, config.columns),
    })),
    checks: config.checks.map(({ name, value }) => ({
      name,
      columns: columnsIn([value], config.columns),
      condition: value,
    })),
    foreignKeys: config.foreignKeys
      .map(key => ({ ...key.reference(), restrictsDelete: !isAction(key.onDelete) }))
      .filter(({ columns }) => columns.length === 1)
      .map(({ columns, foreignTable, foreignColumns, restrictsDelete }) => ({
        column: columns[0] as Column,
        target: foreignTable,
        targetColumn: foreignColumns[0] as Column,
        restrictsDelete,
      })),
    keyActions: config.foreignKeys.flatMap(key => {
      const changes = isAction(key.onUpdate) || (isAction(key.onDelete) && key.onDelete !== 'cascade')
      return changes || isAction(key.onDelete) ? [{ columns: key.reference().columns, changes }] : []
    }),
  }
}

function isAction(action: string | undefined): boolean {
  return action === 'cascade' || action === 'set null' || action === 'set default'
}

function uniqueIndex(name: string | undefined, parts: readonly unknown[], all: readonly Column[]): UniqueConfig[] {
  const found = parts.map(part => (is(part, SQL) ? foldedColumn(part) : { column: columnOf(part, all) }))
  const columns = found.map(each => each?.column).filter(part => is(part, Column))
  if (columns.length !== parts.length) return []
  const ignoreCase = parts.some(part => is(part, SQL))
  const keepsCase = columns.some((column, i) => !is(parts[i], SQL) && columnKind(column).kind === 'text')
  const foldingSigma = columns.filter((_, i) => found[i]?.fold === FOLDED)
  return ignoreCase && keepsCase ? [] : [{ name, columns, ignoreCase, foldingSigma }]
}

/** PostgreSQL's index columns are copies with only a name. */
function columnOf(part: unknown, all: readonly Column[]): Column | undefined {
  return all.find(column => column.name === (part as { readonly name?: string } | null)?.name)
}

/** The columns in parts of a table's SQL, as objects of Drizzle or by their names in its text. */
function columnsIn(parts: readonly unknown[], all: readonly Column[]): readonly Column[] {
  const named = parts.flatMap(part => {
    if (is(part, SQL)) return columnsIn(part.queryChunks, all)
    return is(part, StringChunk) ? columnsNamedIn(part.value.join(''), all) : (columnOf(part, all) ?? [])
  })
  return [...new Set(named)]
}

function columnsNamedIn(text: string, all: readonly Column[]): readonly Column[] {
  const names = text.replace(/'(?:[^']|'')*'/g, '').match(/"(?:[^"]|"")+"|[a-z_]\w*/gi) ?? []
  const isNamed = (column: Column) =>
    names.some(name => name === quoteName(column.name) || name.toLowerCase() === column.name.toLowerCase())
  return names.length === 0 ? [] : all.filter(isNamed)
}

/** Follows a column whose collation maps only ASCII letters to the other case. */
export const LETTER_CASE = ' collate "default"'

export const LOWERED = ['lower(', ')'] as const

/** PostgreSQL's `lower` keeps `ς`, the small sigma at the end of a word, apart from `σ`. */
export const FOLDED = ['translate(lower(', "), 'ς', 'σ')"] as const

interface IndexedText {
  readonly column: Column | undefined
  readonly fold?: typeof LOWERED | typeof FOLDED
}

/** The column of an index that ignores case. */
function foldedColumn(expression: SQL): IndexedText | undefined {
  const chunks = chunksOf(expression)
  const at = chunks.findIndex(chunk => is(chunk, Column))
  const column = chunks[at]
  const textOf = (some: readonly unknown[]) =>
    some.map(chunk => (is(chunk, StringChunk) ? chunk.value.join('') : '?')).join('')
  const [before, after] = [textOf(chunks.slice(0, at)), textOf(chunks.slice(at + 1))]
  const fold = [LOWERED, FOLDED].find(([start, end]) => before === start && [end, LETTER_CASE + end].includes(after))
  return is(column, Column) && fold ? { column, fold } : undefined
}

function chunksOf({ queryChunks }: SQL): readonly unknown[] {
  return queryChunks.flatMap(chunk => (is(chunk, SQL) ? chunksOf(chunk) : [chunk]))
}

/** A subquery, or a column with the name of its table. */
const OTHER_ROWS = /\bselect\b|[\w"]\s*\.\s*["a-z_]/i

/** Whether a condition can be asked of the values of one row, without its table. */
export function isAboutRow(condition: SQL, table: Table): boolean {
  return condition.queryChunks.every(chunk => {
    if (is(chunk, SQL)) return isAboutRow(chunk, table)
    if (is(chunk, Column)) return chunk.table === table
    if (is(chunk, StringChunk)) return !OTHER_ROWS.test(chunk.value.join(''))
    return (
      is(chunk, Param) || (Array.isArray(chunk) && chunk.every(part => is(part, Param))) || typeof chunk !== 'object'
    )
  })
}

export function withoutTable(condition: SQL): SQL {
  return new SQL(
    condition.queryChunks.map(chunk =>
      is(chunk, SQL) ? withoutTable(chunk) : is(chunk, Column) ? new Name(chunk.name) : chunk,
    ),
  )
}

/** A column's type as SQL names it. Drizzle does not quote enum names, which would lose their case. */
export function sqlTypeOf(column: Column): string {
  if (is(column, PgArray)) return `${sqlTypeOf(column.baseColumn)}[]`
  // `serial` is an integer with a default, not a type for a cast.
  if (!is(column, PgEnumColumn))
    return splitCollation(column.getSQLType()).type.replace(/^(small|big)?serial$/, '$1int')
  const { schema, enumName } = column.enum
  return qualifiedName({ schema, name: enumName })
}

/** Both databases accept the SQL standard's double quotes. */
export function quoteName(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '""')}"` : `"${name}"`
}

export function qualifiedName({
  schema,
  name,
}: {
  readonly schema?: string | null | undefined
  readonly name: string
}): string {
  return typeof schema === 'string' ? `${quoteName(schema)}.${quoteName(name)}` : quoteName(name)
}

export interface NamedColumn {
  readonly table: string
  readonly column: string
}

/**
 * The first column in a condition on `table` that belongs to a table outside of the condition's subqueries. `undefined`
 * if there is none, or if it is uncertain.
 */
export function strangeColumn(condition: SQL, table: Table): NamedColumn | undefined {
  const named: NamedColumn[] = []
  const tables = new Set([getTableName(table)])
  let text = ''
  let hasQueries = false
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) visit(item)
    else if (is(part, SQL)) visit(part.queryChunks)
    else if (is(part, StringChunk)) text += part.value.join('')
    else if (is(part, Name)) text += part.value
    else if (is(part, Table)) tables.add(getTableName(part))
    else if (is(part, Column) && is(part.table, Table))
      named.push({ table: getTableName(part.table), column: part.name })
    // An unrendered query hides its tables, to which the columns may belong.
    else if (isSQLWrapper(part) && !is(part, Param) && !is(part, Placeholder)) hasQueries = true
  }
  visit(condition)
  return hasQueries ? undefined : named.find(({ table: name }) => !tables.has(name) && !text.includes(name))
}
