import type { Executor } from 'viewset/dialect'
import { qualifiedName, quoteName } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import { readPgCatalogue } from '../catalogue/pg-catalogue.ts'
import { readSqliteCatalogue } from '../catalogue/sqlite-catalogue.ts'

export interface NewIndex {
  readonly name: string
  readonly table: Pick<CatalogueTable, 'schema' | 'name' | 'storage'>
  readonly unique: boolean
  readonly parts: readonly string[]
  /** Whether it is a search index, on a database that uses one by itself. */
  readonly search: boolean
  /** Whether an index of that name exists whose creation was interrupted. */
  readonly isUnfinished: boolean
}

/** How to list a database's indexes, and how to create one while other clients read and write. */
export interface IndexSpelling {
  searchPath(executor: Executor): Promise<readonly (string | null)[]>
  readTables(executor: Executor, schemas: readonly string[]): Promise<readonly CatalogueTable[]>
  create(index: NewIndex): readonly string[]
  /** In bytes. Longer names are cut off. */
  readonly longestName: number
  /** In bytes. A row with a longer entry is rejected. */
  readonly longestEntry: number
}

const postgres: IndexSpelling = {
  searchPath: async executor => {
    const { rows } = await executor.run({ text: 'select to_json(current_schemas(false))' }, [])
    return JSON.parse(String(rows[0]?.[0]))
  },
  readTables: readPgCatalogue,
  create: ({ name, table, unique, parts, search, isUnfinished }) => {
    // The indexes of a partitioned table cannot be created concurrently.
    const online = table.storage === 'partitioned' ? '' : ' concurrently'
    const drop = `drop index${online} if exists ${qualifiedName({ schema: table.schema, name })}`
    const using = search ? ' using gin' : ''
    const create = `create ${unique ? 'unique ' : ''}index${online} if not exists ${quoteName(name)}`
    return [...(isUnfinished ? [drop] : []), `${create} on ${qualifiedName(table)}${using} (${listed(parts, search)})`]
  },
  longestName: 63,
  longestEntry: 2_704,
}

const sqlite: IndexSpelling = {
  searchPath: async () => [null],
  readTables: executor => readSqliteCatalogue(executor),
  create: ({ name, table, unique, parts }) => [
    `create ${unique ? 'unique ' : ''}index if not exists ${quoteName(name)} on ${quoteName(table.name)} (${parts.join(', ')})`,
  ],
  longestName: Number.POSITIVE_INFINITY,
  longestEntry: Number.POSITIVE_INFINITY,
}

export const indexSpellings: ReadonlyMap<string, IndexSpelling> = new Map([
  ['pg', postgres],
  ['sqlite', sqlite],
])

function listed(parts: readonly string[], search: boolean): string {
  return parts.map(part => (search ? `${part} gin_trgm_ops` : part)).join(', ')
}
