import { createHash } from 'node:crypto'
import type { TableInfo } from 'viewset'
import { has, isMadeByKit, quoteName } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import { quoted } from '../code.ts'
import type { AdvisedIndex } from './advise.ts'
import type { IndexSpelling } from './index-spelling.ts'

export interface IndexCode {
  /** The declaration in the model; `null` if the table has no known model. */
  readonly line: string | null
  /** Whether the model has that declaration. */
  readonly declared: boolean
  readonly statements: readonly string[]
  /** Sentences to read before the index is made. */
  readonly cautions: readonly string[]
}

interface CodeContext {
  readonly spelling: IndexSpelling
  readonly tables: readonly CatalogueTable[]
  readonly model: TableInfo | undefined
}

export function indexCode(advised: AdvisedIndex, { spelling, tables, model }: CodeContext): IndexCode {
  const { kind, table, columns } = advised
  const isUnfinished = (name: string) => table.indexes.some(index => index.name === name && !index.valid)
  const wanted = nameFor(advised, model)
  const name = isUnfinished(wanted) || isFree(wanted, tables, spelling) ? wanted : shortNameFor(advised)
  const parts = columns.map(column => {
    const text = quoteName(column)
    if (kind === 'index' || kind === 'unique') return text
    const info = model?.columns.find(candidate => candidate.name === column)
    if (!model || !info) return `lower(${text})`
    return kind === 'search' ? `lower(${text}${model.dialect.letterCase(info)})` : model.dialect.foldInIndex(info, text)
  })
  const unique = kind === 'unique' || kind === 'uniqueIgnoringCase'
  const search = kind === 'search'
  const declared = model !== undefined && isDeclared(advised, model)
  const forSearch = search && model ? searchStatements(columns, model) : undefined
  return {
    line: model ? lineFor(advised, model, name) : null,
    declared,
    statements: forSearch ?? [
      ...(search && model?.dialect.searchExtension ? [model.dialect.searchExtension] : []),
      ...spelling.create({ name, table, unique, search, parts, isUnfinished: isUnfinished(name) }),
    ],
    cautions: [
      ...tooLong(advised, model, spelling),
      ...(isUnfinished(name) ? ['is there unfinished, and dropped first: look that nobody is making it now'] : []),
      ...(unique ? ['cannot be made while a value occurs twice'] : []),
      ...(forSearch && !declared
        ? [
            'takes both: this line in the model, and its SQL in the database. Where the SQL was run, only the line is missing',
          ]
        : []),
    ],
  }
}

/** The name that a kit gives it, so that a later migration finds the index. */
function nameFor({ kind, table, columns, name }: AdvisedIndex, model: TableInfo | undefined): string {
  const suffix = kind === 'index' || kind === 'search' ? kind : 'unique'
  return name ?? `${model?.name ?? table.name}_${columns.join('_')}_${suffix}`
}

/** A name that is cut off could be the name of another index. */
function isFree(name: string, tables: readonly CatalogueTable[], { longestName }: IndexSpelling): boolean {
  if (Buffer.byteLength(name) > longestName) return false
  return !tables.some(table => table.name === name || table.indexes.some(index => index.name === name))
}

function shortNameFor({ kind, table, columns }: AdvisedIndex): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([table.schema, table.name, columns]))
    .digest('hex')
  return `advised_${kind.toLowerCase()}_${hash.slice(0, 12)}`
}

function searchStatements(columns: readonly string[], model: TableInfo): readonly string[] | undefined {
  const { dialect, primaryKey } = model
  if (!dialect.searchIndex || !primaryKey) return undefined
  const searchIndex = model.columns.filter(({ name }) => columns.includes(name))
  return dialect.searchIndex.create({ ...model, primaryKey, searchIndex })
}

function lineFor({ kind, columns }: AdvisedIndex, model: TableInfo, name: string): string {
  const fields = columns.map(column => {
    const key = model.columns.find(candidate => candidate.name === column)?.key ?? column
    return /^[\w$]+$/.test(key) ? `t.${key}` : `t[${quoted(key)}]`
  })
  const list = fields.join(', ')
  if (isMadeByKit(model.table)) {
    const calls = { index: 'index', search: 'searchIndex', unique: 'unique', uniqueIgnoringCase: 'uniqueIgnoringCase' }
    return `c.${calls[kind]}(${list})`
  }
  const named = quoted(name)
  if (kind === 'index') return `index(${named}).on(${list})`
  if (kind === 'unique') return `unique(${named}).on(${list})`
  if (kind === 'uniqueIgnoringCase') {
    const folded = fields.map((field, at) => {
      const { foldsSigma } = model.columns.find(({ name }) => name === columns[at]) ?? {}
      return `sql\`${model.dialect.foldInIndex({ ...(foldsSigma && { foldsSigma }) }, `\${${field}}`)}\``
    })
    return `uniqueIndex(${named}).on(${folded.join(', ')})`
  }
  const searched = fields.map(field => `sql\`lower(\${${field}}) gin_trgm_ops\``)
  return `index(${named}).using('gin', ${searched.join(', ')})`
}

function isDeclared({ kind, columns }: AdvisedIndex, { table, dialect, searchIndex }: TableInfo): boolean {
  if (kind === 'unique' || kind === 'uniqueIgnoringCase') return true
  if (kind === 'search') return columns.every(name => searchIndex.some(column => column.name === name))
  const indexes = dialect.tableConfig(table)?.indexes ?? []
  return indexes.some(({ config }) => {
    const indexed = config.columns.map(part => (part as { readonly name?: string } | null)?.name)
    return !config.where && indexed.length === columns.length && indexed.every((name, at) => name === columns[at])
  })
}

/** Most bytes of a character. */
const BYTES = 4

function tooLong({ kind, columns }: AdvisedIndex, model: TableInfo | undefined, { longestEntry }: IndexSpelling) {
  if (kind === 'search') return []
  const long = columns.flatMap(name => {
    const column = model?.columns.find(candidate => candidate.name === name)
    if (!column || !has(column, 'text') || column.values) return []
    return (column.length ?? Number.MAX_SAFE_INTEGER) * BYTES > longestEntry ? [column.key] : []
  })
  if (long.length === 0) return []
  const most = longestEntry.toLocaleString('en')
  return [`refuses rows whose ${long.join(' or ')} takes more than some ${most} bytes`]
}
