import { methodOwner } from 'viewset/internal'
import type { CatalogueColumn, CatalogueReference, CatalogueTable } from '../catalogue/catalogue.ts'
import { camelCase, isReserved, Names } from '../identifiers.ts'

/** A table with its names in code. */
export interface NamedTable extends CatalogueTable {
  readonly constant: string
  /** By the column's name in the database. */
  readonly keys: ReadonlyMap<string, string>
}

/** @param taken names that no constant may have */
export function constantNames(taken: readonly string[]): Names {
  return new Names('Table', name => isReserved(name) || taken.includes(name))
}

export function nameTables(tables: readonly CatalogueTable[], constants: Names): readonly NamedTable[] {
  return tables.map(table => {
    const inSchema = camelCase(`${table.schema ?? ''} ${table.name}`)
    return { ...table, constant: constants.take(camelCase(table.name), inSchema), keys: keysOf(table) }
  })
}

function keysOf({ columns, references }: CatalogueTable): ReadonlyMap<string, string> {
  const single = new Map(references.filter(({ columns: own }) => own.length === 1).map(own => [own.columns[0], own]))
  const names = new Names('Value', isUnfit)
  // Columns without a relation choose first: `parent` beside `parent_id` keeps its name.
  const ordered = [...columns].sort((a, b) => Number(single.has(a.name)) - Number(single.has(b.name)))
  const keys = new Map(ordered.map(column => [column.name, keyOf(column, single.get(column.name), names)]))
  return new Map(columns.map(({ name }) => [name, keys.get(name) ?? name]))
}

function keyOf({ name }: CatalogueColumn, reference: CatalogueReference | undefined, names: Names): string {
  const candidates = [...(reference ? [relationName(name, reference)] : []), name].map(camelCase)
  return names.take(...candidates)
}

/** `author_id` refers to an author. `author_code` does too, if it holds an author's code. */
function relationName(column: string, { targets: [target = ''] }: CatalogueReference): string {
  const end = [target, 'id'].find(name => /[_ -]/.test(column.at(-name.length - 1) ?? '') && endsWith(column, name))
  if (end !== undefined) return column.slice(0, -end.length - 1)
  return /[a-z]I[dD]$/.test(column) ? column.slice(0, -2) : column
}

function endsWith(text: string, end: string): boolean {
  return text.toLowerCase().endsWith(end.toLowerCase())
}

/** Records have methods of these names, and an item of a list has its position as `index`. */
function isUnfit(key: string): boolean {
  return methodOwner(key) !== undefined || key === 'index' || key === 'then'
}
