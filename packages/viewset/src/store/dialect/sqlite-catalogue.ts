import Database from 'better-sqlite3'
import type {
  CatalogueAction,
  CatalogueColumn,
  CatalogueIndex,
  CatalogueReference,
  CatalogueTable,
} from '../catalogue.ts'
import { generatedExpressions } from './sqlite-definitions.ts'

interface FoundTable {
  readonly name: string
  readonly type: 'table' | 'view' | 'virtual'
  readonly sql: string | null
}
interface FoundColumn {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  /** 1: of a virtual table; 2 and 3: worked out when it is read, when it is written. */
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
}

/** What an SQLite file says of its tables. It is opened for reading only: not even its journal mode changes. */
export function readSqliteCatalogue(path: string): readonly CatalogueTable[] {
  const handle = new Database(path, { readonly: true, fileMustExist: true })
  try {
    const ask = <T>(text: string, ...values: readonly string[]) => handle.prepare<unknown[], T>(text).all(...values)
    const tables = ask<FoundTable>(
      `select l.name, l.type, m.sql from pragma_table_list l left join sqlite_master m on m.name = l.name
       where l.schema = 'main' and l.type in ('table', 'view', 'virtual') and l.name not like 'sqlite\\_%' escape '\\'
       order by l.name`,
    )
    const columnsOf = (table: string) =>
      ask<FoundColumn>('select * from pragma_table_xinfo(?) where hidden <> 1 order by cid', table)
    const keyOf = (table: string) =>
      columnsOf(table)
        .filter(({ pk }) => pk > 0)
        .sort((a, b) => a.pk - b.pk)
        .map(({ name }) => name)
    return tables.map(({ name, type, sql }) => {
      const references = ask<FoundReference>('select * from pragma_foreign_key_list(?) order by id, seq', name)
      const indexes = ask<FoundIndex>("select * from pragma_index_list(?) where origin <> 'pk' order by name", name)
      return {
        schema: null,
        name,
        kind: type === 'virtual' ? 'virtual table' : type,
        columns: columnsOf(name).map(columnReader(sql ?? '')),
        primaryKey: keyOf(name),
        references: Object.values(Object.groupBy(references, ({ id }) => id)).map(parts =>
          referenceOf(parts ?? [], keyOf),
        ),
        indexes: indexes.map(index => indexOf(index, ask('select * from pragma_index_xinfo(?) where key', index.name))),
      }
    })
  } finally {
    handle.close()
  }
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

function indexOf(
  { name, unique, origin, partial }: FoundIndex,
  parts: readonly { readonly name: string | null; readonly desc: number; readonly coll: string }[],
): CatalogueIndex {
  // Another collation than that of bytes tells other values apart.
  const isPlain = partial === 0 && parts.every(part => part.name !== null && part.coll === 'BINARY')
  return {
    name: origin === 'u' ? null : name,
    unique: unique === 1,
    constraint: origin === 'u',
    columns: isPlain ? parts.map(part => ({ name: part.name ?? '', descending: part.desc === 1 })) : null,
  }
}
