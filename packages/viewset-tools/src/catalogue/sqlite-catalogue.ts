import type { Executor } from 'viewset/dialect'
import type {
  CatalogueAction,
  CatalogueColumn,
  CatalogueIndex,
  CatalogueReference,
  CatalogueTable,
} from './catalogue.ts'
import { columnCollations, generatedExpressions, indexedExpressions } from './sqlite-definitions.ts'

interface FoundTable {
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual'
  /** 1 for a table WITHOUT ROWID. */
  readonly wr: number
  readonly sql: string | null
}
interface FoundColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  /** 1 for a column of a virtual table; 2 and 3 for generated columns, virtual and stored. */
  readonly hidden: number
}
interface FoundReference {
  readonly id: number
  readonly seq: number
  readonly table: string
  readonly from: string
  /** `null` means the primary key. */
  readonly to: string | null
  readonly on_update: string
  readonly on_delete: string
}
interface FoundIndex {
  readonly name: string
  readonly unique: number
  readonly origin: 'c' | 'u' | 'pk'
  readonly partial: number
  /** `null` for the index of a constraint. */
  readonly sql: string | null
}
interface FoundPart {
  /** -1 for the rowid, -2 for an expression. */
  readonly cid: number
  readonly name: string | null
  readonly desc: number
  readonly coll: string
  /** 0 for the key columns at the end of each entry. */
  readonly key: number
}

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
    const tableColumns = columnsOf(name)
    const key = tableColumns.filter(({ pk }) => pk > 0)
    const isRowKey = wr === 0 && key.length === 1 && /^integer$/i.test(key[0]?.type ?? '')
    const table = { rowKey: isRowKey ? key[0]?.name : undefined, collations: columnCollations(sql ?? '') }
    tables.push({
      schema: null,
      name,
      kind: type === 'virtual' ? 'virtual table' : type,
      storage: 'own',
      columns: tableColumns.map(columnReader(sql ?? '')),
      primaryKey: keyOf(name),
      references: references.map(parts => referenceOf(parts, keyOf)),
      indexes: await readIndexes(ask, name, table),
    })
  }
  return tables
}

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
  /** The rowid's column, with which all entries end. */
  readonly rowKey: string | undefined
  /** By column name in lower case, without columns that are compared byte by byte. */
  readonly collations: ReadonlyMap<string, string>
}

function indexOf(
  { name, unique, origin, partial, sql }: FoundIndex,
  parts: readonly FoundPart[],
  { rowKey, collations }: IndexedTable,
): CatalogueIndex {
  const keyParts = parts.filter(({ key }) => key === 1)
  // Under another collation than BINARY, other values are equal.
  const isPlain = partial === 0 && keyParts.every(part => part.name !== null && part.coll.toUpperCase() === 'BINARY')
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
    columns: isPlain ? keyParts.map(part => ({ name: part.name ?? '', descending: part.desc === 1 })) : null,
    order: usual.map(part => ({ name: part.name ?? '', descending: part.descending })),
    expressions: partial === 0 && keyParts.some(({ cid }) => cid === -2) ? indexedExpressions(sql ?? '') : [],
    covering: false,
    valid: true,
  }
}
