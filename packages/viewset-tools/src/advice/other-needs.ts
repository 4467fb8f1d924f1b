import { FieldFilter, type ModelSerializer, SearchFilter } from 'viewset'
import { isMadeByKit } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import type { AdvisedResource } from './advised-resource.ts'
import { lookupNeed } from './list-needs.ts'
import type { FindTable, Need, RowsNeed, SearchNeed, UniqueNeed } from './needs.ts'

/** Relations to many records read the links, or the records, of each owner. */
export function relationNeeds({ name, serializer }: AdvisedResource, find: FindTable): readonly RowsNeed[] {
  const seen = new Set<ModelSerializer>()
  const visit = (of: ModelSerializer, path: string): readonly RowsNeed[] => {
    if (seen.has(of)) return []
    seen.add(of)
    return of.fields.flatMap(field => {
      if (field.kind === 'stored') {
        const nested = field.nested?.serializer
        return nested ? visit(nested, `${path}${field.wire}.`) : []
      }
      if (field.kind !== 'many') return []
      const { links, source } = field.relation
      const table = find(links)
      const reason = { resource: name, request: `the field "${path}${field.wire}"` }
      return [
        ...(table ? [lookupNeed(table, [source.name], reason)] : []),
        ...(field.serializer && field.read === 'data' ? visit(field.serializer, `${path}${field.wire}.`) : []),
      ]
    })
  }
  return visit(serializer, '')
}

/** A deletion looks for rows that refer to the deleted one. */
export function deletionNeeds(
  { name, deletes }: AdvisedResource,
  tables: readonly CatalogueTable[],
  find: FindTable,
): readonly RowsNeed[] {
  return deletes.flatMap(model => {
    const parent = find(model)
    if (!parent) return []
    const reason = { resource: name, request: `deleting from ${parent.name}` }
    return tables.flatMap(table =>
      table.references
        .filter(({ schema, table: target }) => schema === parent.schema && target === parent.name)
        .map(({ columns }) => lookupNeed(table, columns, reason)),
    )
  })
}

/** Validation looks for a record with the same unique values. */
export function uniqueNeeds({ name, model, writes }: AdvisedResource, find: FindTable): readonly UniqueNeed[] {
  const table = find(model)
  if (!table || !writes) return []
  return model.uniques.map(unique => ({
    kind: 'unique',
    table,
    name: unique.name,
    columns: unique.columns.map(column => column.name),
    ignoreCase: unique.ignoreCase,
    folded: unique.columns.map(column => model.dialect.foldInIndex(column, column.name)),
    reason: { resource: name, request: 'creating and changing records' },
  }))
}

/** A sentence about requests that no index can speed up. */
export interface Note {
  readonly table: CatalogueTable
  readonly text: string
}

/** The needs of search, and the searches that no index can speed up. */
export interface SearchNeeds {
  readonly needs: readonly Need[]
  readonly notes: readonly Note[]
}

/**
 * If the database uses a search index by itself, only the table's own columns count. If a statement asks the index,
 * each table of a path has its own.
 */
export function searchNeeds(resource: AdvisedResource, find: FindTable): SearchNeeds {
  const { name, model, filters } = resource
  const { dialect } = model
  const isAsked = dialect.searchIndex !== null
  const table = find(model)
  if (!table || (!isAsked && dialect.searchExtension === null)) return { needs: [], notes: [] }
  const found: Need[] = []
  const notes: string[] = []
  const need = (request: string, owner = model, columns: readonly string[] = []): readonly SearchNeed[] => {
    const at = find(owner)
    // Only a kit's table can declare such an index.
    if (isAsked && !isMadeByKit(owner.table)) return []
    return at ? [{ kind: 'search', table: at, model: owner, columns, reason: { resource: name, request } }] : []
  }
  for (const filter of filters) {
    if (filter instanceof SearchFilter && filter.searchedPaths.length > 0) {
      const request = `?${filter.searchParam}=`
      const through = filter.searchedPaths.filter(({ steps }) => steps.length > 0)
      if (!isAsked && through.length > 0) {
        const fields = through.map(({ wire }) => wire).join(', ')
        notes.push(
          `${name}: ${request} reads all rows, as it also looks into other tables (${fields}). Without them in searchFields, c.searchIndex(...) would serve it.`,
        )
        continue
      }
      for (const { steps, column } of filter.searchedPaths) {
        found.push(...need(request, steps.at(-1)?.model ?? model, [column.name]))
        steps.forEach(({ foreignKey }, index) => {
          const at = find(steps[index - 1]?.model ?? model)
          if (at) found.push(lookupNeed(at, [foreignKey.name], { resource: name, request }))
        })
      }
    }
    if (filter instanceof FieldFilter && !isAsked) {
      for (const [parameter, { path, name: lookup }] of filter.declaredFilters) {
        const { columns } = path
        if (lookup === 'icontains' && columns?.steps.length === 0)
          found.push(...need(`?${parameter}=`, model, [columns.column.name]))
      }
    }
  }
  return { needs: found, notes: notes.map(text => ({ table, text })) }
}
