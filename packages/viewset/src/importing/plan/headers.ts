import { BoundedCache } from '../../core/bounded-cache.ts'
import type { ImportColumn, ModelPlan } from './plan.ts'

interface ColumnAliases {
  /** The resource's label for exports. */
  readonly label: string | undefined
  readonly paths: readonly string[]
}

export type HeaderAliases = ReadonlyMap<ImportColumn, ColumnAliases>

export type PlannedColumn = Omit<ImportColumn, 'flatHeader' | 'spellings'>
export type PlannedModel = Omit<ModelPlan, 'columns'> & { readonly columns: readonly PlannedColumn[] }

/** An import compares the names of its plan hundreds of times. */
const keys = new BoundedCache<string, string>(2_000)
const LONGEST_KEPT = 100

/** The form in which headers are compared: without case and outer blanks, and with `_` for a blank: `native_name`. */
export function headerKey(header: string): string {
  return header.length > LONGEST_KEPT ? folded(header) : keys.get(header, () => folded(header))
}

function folded(header: string): string {
  return header.normalize('NFC').trim().replace(/\s+/g, '_').toLowerCase()
}

/** The header of a column in templates. Messages name it first. */
export function ownHeader({ spellings, header, flatHeader }: ImportColumn, isFlat: boolean): string {
  return spellings[0] ?? (isFlat ? flatHeader : header)
}

/**
 * Names the columns of a flat file, which covers all models. If two models have different columns of the same name,
 * each gets its model's name: `countries.name`, `cities.name`. Columns are not different if both hold the same column
 * of one model, such as a country's code and a city's reference to it by that code. A source field keeps its name: one
 * column may lead to several records.
 */
export function withFlatHeaders(models: readonly PlannedModel[]): readonly ModelPlan[] {
  const meanings = new Map<string, Set<string>>()
  for (const planned of models) {
    for (const column of planned.columns) {
      if (column.appValue || column.isSourceField) continue
      const key = headerKey(column.header)
      meanings.set(key, (meanings.get(key) ?? new Set()).add(meaningOf(planned, column)))
    }
  }
  return models.map(planned => ({
    ...planned,
    columns: planned.columns.map(column => {
      const isAlone = column.appValue !== undefined || column.isSourceField
      const isShared = isAlone || meanings.get(headerKey(column.header))?.size === 1
      const flatHeader = isShared ? column.header : `${planned.key}.${column.header}`
      return { ...column, flatHeader, spellings: [] }
    }),
  }))
}

function meaningOf({ model }: PlannedModel, { lookup, column }: PlannedColumn): string {
  return lookup ? `${lookup.model.id} ${lookup.by.name}` : `${model.id} ${column.name}`
}

/**
 * The headers of a model's columns in exports. `headers` has labels by field path. A foreign key with a lookup is
 * exported as `country__iso2`.
 */
export function headerAliases(plan: ModelPlan, headers: Readonly<Record<string, string | undefined>>): HeaderAliases {
  return new Map(
    plan.columns.map(column => {
      const { lookup } = column
      const { key, wire } = column.column
      const path = lookup ? `${key}__${lookup.by.key}` : key
      const wirePath = lookup ? `${wire}__${lookup.by.wire}` : wire
      const label = Object.hasOwn(headers, path) ? headers[path] : undefined
      const byUnderscore = wirePath.replaceAll('__', '_')
      return [column, { label, paths: [wirePath, byUnderscore] }]
    }),
  )
}
