import { type ColumnInfo, ComputedOrderingFilter, FieldFilter, type ModelInfo, type Ordering } from 'viewset'
import { type ColumnPath, type DeclaredFilter, has } from 'viewset/internal'
import type { CatalogueTable, IndexedColumn } from '../catalogue/catalogue.ts'
import type { AdvisedResource } from './advised-resource.ts'
import type { FindTable, RowsNeed } from './needs.ts'

/** If a column has at most so many values, an index on it finds too many rows. */
const FEW_VALUES = 20

const EQUALITIES: ReadonlySet<string> = new Set(['exact', 'in'])
const RANGES: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte', 'range', 'year'])

/** The rows that lists and exports of a resource read, in their order and with each filter. */
export function listNeeds(resource: AdvisedResource, find: FindTable): readonly RowsNeed[] {
  const table = find(resource.model)
  if (!table) return []
  return [...orderNeeds(resource, table), ...filterNeeds(resource, table, find)]
}

/** The part that all lists of a resource share. */
function scopeOf({ scope }: AdvisedResource): Pick<RowsNeed, 'equal' | 'flags'> {
  const names = (columns: readonly ColumnInfo[]) => columns.map(({ name }) => name)
  return { equal: names(scope.filter(isSelective)), flags: names(scope.filter(column => !isSelective(column))) }
}

/** Whether few rows share a value of the column. */
function isSelective(column: ColumnInfo): boolean {
  return !has(column, 'truth') && (column.values === undefined || column.values.length > FEW_VALUES)
}

function orderNeeds(resource: AdvisedResource, table: CatalogueTable): readonly RowsNeed[] {
  const { name, model, filters, isPaginated, namesOrderings } = resource
  if (!isPaginated) return []
  const scope = scopeOf(resource)
  return filters
    .filter(filter => filter instanceof ComputedOrderingFilter)
    .flatMap(filter => {
      const need = (terms: readonly Ordering[], weight: 1 | 3, request: string): readonly RowsNeed[] => {
        const order = ownOrder(model, terms)
        return order ? [{ kind: 'rows', table, ...scope, order, weight, reason: { resource: name, request } }] : []
      }
      const offered = namesOrderings ? [...filter.offeredOrderings] : []
      return [
        ...need(filter.standardOrdering, 1, 'every list'),
        ...offered.flatMap(([term, terms]) => need(terms, 3, `?${filter.orderingParam}=${term}`)),
      ]
    })
}

/** An ordering by columns of the model, without terms that cannot change it; `undefined` for other orderings. */
function ownOrder(model: ModelInfo, terms: readonly Ordering[]): readonly IndexedColumn[] | undefined {
  const order: IndexedColumn[] = []
  const seen = new Set<ColumnInfo>()
  const keys = [
    [model.primaryKey],
    ...model.uniques.filter(({ ignoreCase }) => !ignoreCase).map(unique => unique.columns),
  ]
  for (const { by, descending } of terms) {
    if (!('wire' in by) || 'steps' in by) return undefined
    order.push({ name: by.name, descending })
    seen.add(by)
    // No two rows are equal up to here, so later terms change nothing.
    if (keys.some(columns => columns.every(column => seen.has(column) && !column.nullable))) break
  }
  return order
}

function filterNeeds(resource: AdvisedResource, table: CatalogueTable, find: FindTable): readonly RowsNeed[] {
  return resource.filters
    .filter(filter => filter instanceof FieldFilter)
    .flatMap(filter =>
      [...filter.declaredFilters].flatMap(([parameter, declared]) => {
        const reason = { resource: resource.name, request: `?${parameter}=` }
        const { path, name } = declared
        // No index of ours serves an expression, and a relation to many has those of its keys.
        if (!path.columns) return []
        return path.columns.steps.length === 0
          ? ownFilterNeeds(resource, table, path.columns, name, reason)
          : pathNeeds(resource, table, path.columns, name, reason, find)
      }),
    )
}

function ownFilterNeeds(
  resource: AdvisedResource,
  table: CatalogueTable,
  { column }: ColumnPath,
  lookup: DeclaredFilter['name'],
  reason: RowsNeed['reason'],
): readonly RowsNeed[] {
  const scope = scopeOf(resource)
  if (EQUALITIES.has(lookup) && isSelective(column)) return [equalNeed(resource, table, column, reason)]
  if (!RANGES.has(lookup) || !isSelective(column)) return []
  const order = [{ name: column.name, descending: false }]
  return [{ kind: 'rows', table, ...scope, order, weight: 2, reason }]
}

function equalNeed(
  resource: AdvisedResource,
  table: CatalogueTable,
  column: ColumnInfo,
  reason: RowsNeed['reason'],
): RowsNeed {
  const { model, filters, isPaginated } = resource
  const { equal, flags } = scopeOf(resource)
  const ordering = filters.find(filter => filter instanceof ComputedOrderingFilter)
  const order = (isPaginated && ordering && ownOrder(model, ordering.standardOrdering)) || []
  const compared = [...new Set([...equal, column.name])]
  return { kind: 'rows', table, equal: compared, flags, order, weight: 2, reason }
}

/** The rows that a path leads to, and on each table before it the rows that refer to them. */
function pathNeeds(
  resource: AdvisedResource,
  table: CatalogueTable,
  { steps, column }: ColumnPath,
  lookup: DeclaredFilter['name'],
  reason: RowsNeed['reason'],
  find: FindTable,
): readonly RowsNeed[] {
  const [first, ...further] = steps
  const isEqual = EQUALITIES.has(lookup)
  if (!first || !(isEqual || RANGES.has(lookup)) || !isSelective(column)) return []
  const last = find(steps.at(-1)?.model ?? resource.model)
  const lookups = further.flatMap(({ foreignKey }, index) => {
    const at = find((steps[index] ?? first).model)
    return at ? [lookupNeed(at, [foreignKey.name], reason)] : []
  })
  const wanted = isEqual
    ? { equal: [column.name], order: [] }
    : { equal: [], order: [{ name: column.name, descending: false }] }
  return [
    equalNeed(resource, table, first.foreignKey, reason),
    ...lookups,
    ...(last ? [{ kind: 'rows' as const, table: last, flags: [], ...wanted, weight: 2 as const, reason }] : []),
  ]
}

/** Rows with given values, in any order. */
export function lookupNeed(table: CatalogueTable, columns: readonly string[], reason: RowsNeed['reason']): RowsNeed {
  return { kind: 'rows', table, equal: columns, flags: [], order: [], weight: 2, reason }
}
