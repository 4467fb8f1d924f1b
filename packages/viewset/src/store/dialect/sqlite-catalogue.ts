import { default as Database } from 'better-sqlite3'
import type {
  CatalogueAction,
  CatalogueColumn,
  CatalogueIndex,
  CatalogueReference,
  CatalogueTable,
} from '../catalogue.ts'
import type { Executor, Statement } from '../driver.ts'

interface FoundTable {
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual'
  /** 1: WITHOUT ROWID. */
  readonly wr: number
  readonly sql: string | null
}
interface FoundColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  /** 1: of a virtual table; 2: generated and virtual; 3: generated and stored. */
  readonly hidden: number
}
interface FoundReference {
  readonly id: number
  readonly seq: number
  readonly table: string
  readonly from: string
  /** `null`: the primary key. */
  readonly to: string | null
  readonly on_update: string
  readonly on_delete: string
}
interface FoundIndex {
  readonly name: string
  readonly unique: number
  readonly origin: 'c' | 'u' | 'pk'
  readonly partial: number
  /** `null` for an index of a constraint. */
  readonly sql: string | null
}
interface FoundPart {
  /** -1: the rowid; -2: an expression. */
  readonly cid: number
  readonly name: string | null
  readonly desc: number
  /** As it was written. */
  readonly coll: string
  /** 0: appended to entries to make them distinct. */
  readonly key: number
}

/** Describes the tables of an SQLite database. */
export async function readSqliteCatalogue(executor: Executor): Promise<readonly CatalogueTable[]> {
  const ask = asker(executor)
  const found = await ask<FoundTable>(
    ['name', 'type', 'wr', 'sql'],
    `(select l.name, l.type, l.wr, m.sql from pragma_table_list l left join sqlite_master m on m.name = l.name
      where l.schema = 'main' and l.type in ('table', 'view', 'virtual') and l.name not like 'sqlite\\_%' escape '\\'
      order by l.name)`,
  )
  const columns = new Map<string, readonly FoundColumn[]>()
  for (const { name } of found) columns.set(name.toLowerCase(), await readColumns(ask, name))
  const columnsOf = (table: string) => columns.get(table.toLowerCase()) ?? []
  const keyOf = (table: string) =>
    columnsOf(table)
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ name }) => name)
  const tables: CatalogueTable[] = []
  for (const { name, type, wr, sql } of found) {
    const references = await readReferences(ask, name)
    const own = columnsOf(name)
    const key = own.filter(({ pk }) => pk > 0)
    const isRowKey = wr === 0 && key.length === 1 && /^integer$/i.test(key[0]?.type ?? '')
    const table = { rowKey: isRowKey ? key[0]?.name : undefined, collations: columnCollations(sql ?? '') }
    tables.push({
      schema: null,
      name,
      kind: type === 'virtual' ? 'virtual table' : type,
      storage: 'own',
      columns: own.map(columnReader(sql ?? '')),
      primaryKey: keyOf(name),
      references: references.map(parts => referenceOf(parts, keyOf)),
      indexes: await readIndexes(ask, name, table),
    })
  }
  return tables
}

/** Selects columns of rows as objects. */
type Ask = <T>(columns: readonly (keyof T & string)[], from: string, value?: string) => Promise<readonly T[]>

function asker(executor: Executor): Ask {
  return async (columns, from, value) => {
    const pairs = columns.map(name => `'${name}', "${name}"`).join(', ')
    const text = `select json_object(${pairs}) from ${from}`
    const { rows } = await executor.run({ text }, value === undefined ? [] : [value])
    return rows.map(([row]) => JSON.parse(String(row)))
  }
}

function readColumns(ask: Ask, table: string): Promise<readonly FoundColumn[]> {
  return ask<FoundColumn>(
    ['name', 'type', 'notnull', 'dflt_value', 'pk', 'hidden'],
    '(select * from pragma_table_xinfo(?) where hidden <> 1 order by cid)',
    table,
  )
}

async function readReferences(ask: Ask, table: string): Promise<readonly (readonly FoundReference[])[]> {
  const parts = await ask<FoundReference>(
    ['id', 'seq', 'table', 'from', 'to', 'on_update', 'on_delete'],
    '(select * from pragma_foreign_key_list(?) order by id, seq)',
    table,
  )
  return [...Map.groupBy(parts, ({ id }) => id).values()]
}

async function readIndexes(ask: Ask, name: string, table: IndexedTable): Promise<readonly CatalogueIndex[]> {
  const found = await ask<FoundIndex>(
    ['name', 'unique', 'origin', 'partial', 'sql'],
    `(select i.*, m.sql from pragma_index_list(?) i left join sqlite_master m on m.name = i.name
      where i.origin <> 'pk' order by i.name)`,
    name,
  )
  const indexes: CatalogueIndex[] = []
  for (const index of found) {
    const parts = await ask<FoundPart>(['cid', 'name', 'desc', 'coll', 'key'], 'pragma_index_xinfo(?)', index.name)
    indexes.push(indexOf(index, parts, table))
  }
  return indexes
}

function columnReader(sql: string): (found: FoundColumn) => CatalogueColumn {
  const expressions = generatedExpressions(sql)
  return ({ name, type, notnull, dflt_value: value, pk, hidden }) => ({
    name,
    type,
    notNull: notnull === 1 || pk > 0,
    default: value !== null && value.toLowerCase() === 'null' ? null : value,
    generated: hidden > 1 ? (expressions.get(name.toLowerCase()) ?? 'null') : null,
    stored: hidden === 3,
  })
}

function referenceOf(
  parts: readonly FoundReference[],
  keyOf: (table: string) => readonly string[],
): CatalogueReference {
  const [{ table, on_delete: onDelete, on_update: onUpdate }] = parts as readonly [FoundReference]
  return {
    name: null,
    columns: parts.map(({ from }) => from),
    schema: null,
    table,
    targets: parts.map(({ to }, index) => to ?? keyOf(table)[index] ?? ''),
    onDelete: onDelete.toLowerCase() as CatalogueAction,
    onUpdate: onUpdate.toLowerCase() as CatalogueAction,
  }
}

interface IndexedTable {
  /** The rowid column, which ends all index entries. */
  readonly rowKey: string | undefined
  /** Collations other than BINARY, by lower-case column name. */
  readonly collations: ReadonlyMap<string, string>
}

function indexOf(
  { name, unique, origin, partial, sql }: FoundIndex,
  parts: readonly FoundPart[],
  { rowKey, collations }: IndexedTable,
): CatalogueIndex {
  const own = parts.filter(({ key }) => key === 1)
  // Another collation than BINARY has other equal values.
  const isPlain = partial === 0 && own.every(part => part.name !== null && part.coll.toUpperCase() === 'BINARY')
  const order = parts.map(part => ({
    name: part.cid === -1 ? rowKey : (part.name ?? undefined),
    descending: part.desc === 1,
    isUsual: part.cid < 0 || part.coll.toUpperCase() === (collations.get(part.name?.toLowerCase() ?? '') ?? 'BINARY'),
  }))
  const end = order.findIndex(part => part.name === undefined || !part.isUsual)
  const usual = partial === 1 ? [] : order.slice(0, end === -1 ? order.length : end)
  return {
    name: origin === 'u' ? null : name,
    unique: unique === 1,
    constraint: origin === 'u',
    columns: isPlain ? own.map(part => ({ name: part.name ?? '', descending: part.desc === 1 })) : null,
    order: usual.map(part => ({ name: part.name ?? '', descending: part.descending })),
    expressions: partial === 0 && own.some(({ cid }) => cid === -2) ? indexedExpressions(sql ?? '') : [],
    covering: false,
    valid: true,
  }
}

/** Strings, quoted names, comments, parentheses, commas, words, and single other characters. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*.*?\*\/|[(),]|[\w$]+|\s+|./gsu

/** The expressions of generated columns in a `create table`, by lower-case name. No pragma returns them. */
function generatedExpressions(createTable: string): ReadonlyMap<string, string> {
  const expressions = new Map<string, string>()
  for (const definition of definitionsIn(createTable)) {
    const tokens = tokensOf(definition)
    const start = tokens.findIndex((token, index) => /^as$/i.test(token) && nextIs(tokens, index, '('))
    const [name] = tokens.filter(isCode)
    if (start < 0 || name === undefined) continue
    const open = tokens.indexOf('(', start)
    expressions.set(unquoted(name).toLowerCase(), inParentheses([tokens.slice(open + 1).join('')]).trim())
  }
  return expressions
}

/** The explicit collations in a `create table`, by lower-case column name. */
function columnCollations(createTable: string): ReadonlyMap<string, string> {
  const collations = new Map<string, string>()
  for (const definition of definitionsIn(createTable)) {
    const tokens = outsideParentheses(definition)
    const at = tokens.findIndex(token => /^collate$/i.test(token))
    const [name] = tokens
    const collation = tokens[at + 1]
    if (at > 0 && name !== undefined && collation !== undefined) {
      collations.set(unquoted(name).toLowerCase(), unquoted(collation).toUpperCase())
    }
  }
  return collations
}

/** The parts of a `create index`, as SQL. */
function indexedExpressions(createIndex: string): readonly string[] {
  return definitionsIn(createIndex).map(part => part.trim())
}

/** The contents of the first parentheses of a statement, split at commas. */
function definitionsIn(statement: string): readonly string[] {
  const [, ...body] = splitAt(statement, '(')
  return body.length > 0 ? splitAt(inParentheses(body), ',', true) : []
}

function outsideParentheses(text: string): readonly string[] {
  let depth = 0
  return tokensOf(text).filter(token => {
    if (token === ')') depth--
    const isOutside = depth === 0 && isCode(token)
    if (token === '(') depth++
    return isOutside
  })
}

function tokensOf(text: string): readonly string[] {
  return text.match(TOKEN) ?? []
}

function isCode(token: string): boolean {
  return !/^(?:\s|--|\/\*)/.test(token)
}

function nextIs(tokens: readonly string[], index: number, wanted: string): boolean {
  return tokens.slice(index + 1).find(isCode) === wanted
}

/** Splits at the first separator outside of parentheses, or at `all`. */
function splitAt(text: string, separator: string, all = false): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const token of tokensOf(text)) {
    const splits = token === separator && depth === 0 && (all || parts.length === 1)
    if (!splits && token === '(') depth++
    if (!splits && token === ')') depth--
    if (splits) parts.push('')
    else parts[parts.length - 1] += token
  }
  return parts
}

/** The text up to the closing parenthesis. */
function inParentheses([text = '']: readonly string[]): string {
  let depth = 1
  let inside = ''
  for (const token of tokensOf(text)) {
    if (token === '(') depth++
    if (token === ')' && --depth === 0) return inside
    inside += token
  }
  return inside
}

function unquoted(name: string): string {
  const quote = name.charAt(0)
  if (quote === '[') return name.slice(1, -1)
  return `"'\``.includes(quote) ? name.slice(1, -1).replaceAll(quote + quote, quote) : name
}

/** Describes the tables of an SQLite file. Opens it read-only, so that not even the journal mode changes. */
export async function readSqliteFile(path: string): Promise<readonly CatalogueTable[]> {
  const handle = new Database(path, { readonly: true, fileMustExist: true })
  const run = async ({ text }: Statement, values: readonly unknown[]) => {
    return {
      rows: handle
        .prepare<unknown[], unknown[]>(text)
        .raw()
        .all(...values),
      changes: 0,
    }
  }
  try {
    return await readSqliteCatalogue({ run })
  } finally {
    handle.close()
  }
}
