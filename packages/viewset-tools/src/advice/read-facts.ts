import type { Database, TableInfo } from 'viewset'
import type { SearchedTable, SearchIndexSpelling } from 'viewset/dialect'
import { CliError, tableInfo } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import type { AdvisedResource } from './advised-resource.ts'
import { type IndexSpelling, indexSpellings } from './index-spelling.ts'
import type { FindTable } from './needs.ts'

export interface Facts {
  readonly tables: readonly CatalogueTable[]
  readonly find: FindTable
  readonly spelling: IndexSpelling
  readonly modelOf: (table: CatalogueTable) => TableInfo | undefined
  /** The ids of the models whose search index exists as declared. */
  readonly searched: ReadonlySet<number>
  /** The ids of models that cannot have a search index, because other tables have the names that it needs. */
  readonly unsearchable: ReadonlySet<number>
}

/** Only reads the database. @throws CliError for a database of an unknown dialect */
export async function readFacts(database: Database, resources: readonly AdvisedResource[]): Promise<Facts> {
  const spelling = indexSpellings.get(database.dialect.name)
  if (!spelling)
    throw new CliError(
      `How ${database.dialect.title} tells of its indexes is not known; advice is for PostgreSQL and SQLite.`,
    )
  const models = modelsOf(resources)
  const { driver } = database
  const path = await spelling.searchPath(driver)
  const schemas = [...path, ...[...models.values()].map(({ schema }) => schema)].filter(
    schema => typeof schema === 'string',
  )
  const tables = (await spelling.readTables(driver, [...new Set(schemas)])).filter(isIndexable)
  const find: FindTable = ({ name, schema: declared }) => {
    const named = tables.filter(table => table.name === name)
    const schema = declared ?? path.find(each => named.some(table => table.schema === each))
    return named.find(table => table.schema === schema)
  }
  const modelOf = (table: CatalogueTable) => [...models.values()].find(model => find(model) === table)
  const searched = await modelsWith(database, models, (spelled, model) =>
    model.searchIndex.length === 0 ? undefined : spelled.isThere(model),
  )
  const unsearchable = await modelsWith(database, models, (spelled, model) => spelled.isTaken(model))
  return { tables, find, modelOf, spelling, searched, unsearchable }
}

/** Views, and tables of other databases, have no indexes here. */
function isIndexable({ kind, storage }: CatalogueTable): boolean {
  return kind === 'table' && storage !== 'foreign'
}

/** The models of the resources and of their relations, by id. */
function modelsOf(resources: readonly AdvisedResource[]): ReadonlyMap<number, TableInfo> {
  const models = new Map<number, TableInfo>()
  const visit = (model: TableInfo) => {
    if (models.has(model.id)) return
    models.set(model.id, model)
    for (const { references } of model.columns) if (references) visit(tableInfo(references.target))
  }
  for (const { model, serializer, deletes } of resources) {
    for (const each of [model, ...deletes]) visit(each)
    for (const field of serializer.fields) {
      if (field.kind === 'many') for (const each of [field.relation.links, field.relation.model]) visit(each)
    }
  }
  return models
}

/** The ids of the models for which a statement about their search index returns 1. */
async function modelsWith(
  database: Database,
  models: ReadonlyMap<number, TableInfo>,
  question: (spelling: SearchIndexSpelling, model: SearchedTable) => string | undefined,
): Promise<ReadonlySet<number>> {
  const { searchIndex } = database.dialect
  const found = new Set<number>()
  for (const { primaryKey, ...model } of models.values()) {
    const text = searchIndex && primaryKey ? question(searchIndex, { ...model, primaryKey }) : undefined
    if (text !== undefined && Number((await database.run({ text }, [])).rows[0]?.[0]) === 1) found.add(model.id)
  }
  return found
}
