import { qualifiedName, quoteName } from '../../model/drizzle.ts'
import type { CatalogueTable } from '../catalogue.ts'
import type { Executor } from '../driver.ts'
import { readPgCatalogue } from './pg-catalogue.ts'
import { readSqliteCatalogue } from './sqlite-catalogue.ts'

/** An index to be made. */
export interface NewIndex {
  readonly name: string
  readonly table: Pick<CatalogueTable, 'schema' | 'name' | 'storage'>
  readonly unique: boolean
  /** SQL of the columns and expressions that it is over. */
  readonly parts: readonly string[]
  /** Whether it finds pieces of the texts; on a database that asks such an index by itself. */
  readonly search: boolean
  /** Whether one of that name is there whose making was cut off. */
  readonly isUnfinished: boolean
}

/** How a database tells of its indexes, and how they are made while others read and write. */
export interface IndexSpelling {
  /** The schemas in which a table is looked for that names none, one after the other. */
  searchPath(executor: Executor): Promise<readonly (string | null)[]>
  readTables(executor: Executor, schemas: readonly string[]): Promise<readonly CatalogueTable[]>
  create(index: NewIndex): readonly string[]
  /** Bytes of the longest name; what is longer is cut off. */
  readonly longestName: number
  /** Bytes of the longest entry: a row with a longer one is refused. */
  readonly longestEntry: number
}

const postgres: IndexSpelling = {
  searchPath: async executor => {
    const { rows } = await executor.run({ text: 'select to_json(current_schemas(false))' }, [])
    return JSON.parse(String(rows[0]?.[0]))
  },
  readTables: readPgCatalogue,
  create: ({ name, table, unique, parts, search, isUnfinished }) => {
    // The indexes of a partitioned table can only be made while nobody writes.
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

/** By the name of the dialect; of others, nothing is known. */
export const indexSpellings: ReadonlyMap<string, IndexSpelling> = new Map([
  ['pg', postgres],
  ['sqlite', sqlite],
])

function listed(parts: readonly string[], search: boolean): string {
  return parts.map(part => (search ? `${part} gin_trgm_ops` : part)).join(', ')
}
