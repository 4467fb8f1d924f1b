import { ComputedOrderingFilter, type Database, type ViewsetConfig } from 'viewset'
import { CliError, openDatabase } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import { aboutRows } from './about-rows.ts'
import { advise } from './advise.ts'
import { type AdvisedResource, advisedResources } from './advised-resource.ts'
import { indexCode } from './index-code.ts'
import { listNeeds } from './list-needs.ts'
import { isKnown, type Need, type SearchNeed } from './needs.ts'
import { deletionNeeds, type Note, relationNeeds, searchNeeds, uniqueNeeds } from './other-needs.ts'
import { type Advice, adviceJson, adviceSql, adviceText, type TableAdvice } from './print-advice.ts'
import { type Facts, readFacts } from './read-facts.ts'

export interface IndexAdviceOptions {
  /** Tables with fewer rows are not reported. */
  readonly rows: number
  readonly as: 'text' | 'json' | 'sql'
}

/** Tables with at most so many rows are counted exactly. */
const COUNTED = 10_000

const PRINTERS = { text: adviceText, json: adviceJson, sql: adviceSql }

/**
 * Reports the indexes that the resources' requests would use and the database lacks. It only reads the database.
 *
 * @returns the text to print
 * @throws CliError; ConfigError
 */
export async function indexAdvice(config: ViewsetConfig, { rows, as }: IndexAdviceOptions): Promise<string> {
  const database = await openDatabase(config)
  try {
    return PRINTERS[as](await adviceFor(config, database, rows))
  } finally {
    await database.close()
  }
}

/** For tables with at least `threshold` rows. */
export async function adviceFor(config: ViewsetConfig, database: Database, threshold: number): Promise<Advice> {
  const resources = advisedResources(config, database)
  const facts = await readFacts(database, resources)
  const { tables, find, modelOf, spelling, searched } = facts
  const known = resources.filter(({ model }) => find(model))
  if (known.length === 0) {
    const why = 'are its migrations run, and is it the right one?'
    throw new CliError(`The database has none of the tables of the resources; ${why}`)
  }
  const searches = resources.map(resource => searchNeeds(resource, find))
  const needs: readonly Need[] = [
    ...resources.flatMap(resource => [
      ...listNeeds(resource, find),
      ...relationNeeds(resource, find),
      ...deletionNeeds(resource, tables, find),
      ...uniqueNeeds(resource, find),
    ]),
    ...searches.flatMap(search => search.needs).filter(need => !isUnsearchable(need, facts)),
  ]
  const byTable = Map.groupBy(advise(needs.filter(isKnown), searched), ({ table }) => table)
  const notes = once([
    ...searches.flatMap(search => search.notes),
    ...searches.flatMap(search => search.needs).flatMap(need => takenNames(need, facts)),
    ...resources.flatMap(resource => openOrdering(resource, facts)),
  ])
  const rows = new Map<CatalogueTable, number>()
  for (const table of new Set([...byTable.keys(), ...notes.map(note => note.table)])) {
    const { schema, name } = table
    rows.set(table, await aboutRows(database, { name, schema: schema ?? undefined }, Math.max(threshold, COUNTED)))
  }
  const isLarge = (table: CatalogueTable) => (rows.get(table) ?? 0) >= threshold
  const advised = [...byTable].map(([table, indexes]): TableAdvice => {
    const model = modelOf(table)
    const rowCount = rows.get(table) ?? 0
    return {
      table,
      rows: rowCount,
      isEstimate: rowCount > Math.max(threshold, COUNTED),
      indexes: indexes.map(index => ({ ...index, ...indexCode(index, { spelling, tables, model }) })),
    }
  })
  return {
    tables: advised.filter(({ table }) => isLarge(table)).sort((a, b) => b.rows - a.rows),
    notes: [...missingTables(resources, facts), ...notes.filter(({ table }) => isLarge(table)).map(({ text }) => text)],
    small: advised.flatMap(({ table }) => (isLarge(table) ? [] : [table.name])),
    threshold,
    resources: known.length,
  }
}

function missingTables(resources: readonly AdvisedResource[], { find }: Facts): readonly string[] {
  const missing = resources.filter(({ model }) => !find(model))
  return missing.map(({ name, model }) => `${name}: "${model.name}" is no table of this database.`)
}

/** Several searched fields may have the same note. */
function once(notes: readonly Note[]): readonly Note[] {
  return [...new Map(notes.map(note => [note.text, note])).values()]
}

function isUnsearchable(need: Need, { unsearchable }: Facts): need is SearchNeed {
  return need.kind === 'search' && unsearchable.has(need.model.id)
}

/** A search index would need the names of other tables. */
function takenNames(need: Need, facts: Facts): readonly Note[] {
  if (!isUnsearchable(need, facts)) return []
  const { table, model, reason } = need
  const { searchIndex } = model.dialect
  const { primaryKey } = model
  if (!searchIndex || !primaryKey) return []
  const names = searchIndex.tableNames({ ...model, primaryKey }).map(name => `"${name}"`)
  const text = `${reason.resource}: ${reason.request} reads all rows. c.searchIndex(...) would serve it, but makes ${names.join(' and ')}, and there is another table of such a name.`
  return [{ table, text }]
}

/** An index for each field would be bad advice, because only people know the fields that clients order by. */
function openOrdering(
  { name, model, filters, namesOrderings, isPaginated }: AdvisedResource,
  { find }: Facts,
): readonly Note[] {
  const table = find(model)
  const ordering = filters.find(filter => filter instanceof ComputedOrderingFilter)
  if (!table || !ordering || namesOrderings || !isPaginated || ordering.offeredOrderings.size < 2) return []
  const text = `${name}: lists may be ordered by each of ${ordering.offeredOrderings.size} fields, since it has no orderingFields; name those that have an index.`
  return [{ table, text }]
}
