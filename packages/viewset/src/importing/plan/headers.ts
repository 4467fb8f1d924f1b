import type { ImportColumn, ModelPlan } from './plan.ts'

/** What a column may be called in a file beside its own header. */
interface ColumnAliases {
  /** What the resource's exports call it, where it says so itself. */
  readonly label: string | undefined
  readonly paths: readonly string[]
}

/** Further headers of columns, such as the labels of an export. */
export type HeaderAliases = ReadonlyMap<ImportColumn, ColumnAliases>

/** A model's columns before it is known how a flat file calls them. */
export type PlannedColumn = Omit<ImportColumn, 'flatHeader' | 'spellings'>
export type PlannedModel = Omit<ModelPlan, 'columns'> & { readonly columns: readonly PlannedColumn[] }

/** Headers match ignoring case and outer blanks, and a blank is as good as an underscore: `Native name`. */
export function headerKey(header: string): string {
  return header.normalize('NFC').trim().replace(/\s+/g, '_').toLowerCase()
}

/** The header that a template writes, and that messages name first. */
export function ownHeader({ spellings, header, flatHeader }: ImportColumn, isFlat: boolean): string {
  return spellings[0] ?? (isFlat ? flatHeader : header)
}

/**
 * Gives columns their names in a flat file, which covers every model. Where two models have a column of one name that
 * does not mean the same, each is called after its model: `countries.name`, `cities.name`. It means the same where both
 * hold the same column of one model: the code that a country is written with is also what a city finds it by. A source
 * field is literally what it says: one column may lead to several records.
 */
export function withFlatHeaders(models: readonly PlannedModel[]): readonly ModelPlan[] {
  const meanings = new Map<string, Set<string>>()
  for (const planned of models) {
    for (const column of planned.columns) {
      if (column.own || column.isSourceField) continue
      const key = headerKey(column.header)
      meanings.set(key, (meanings.get(key) ?? new Set()).add(meaningOf(planned, column)))
    }
  }
  return models.map(planned => ({
    ...planned,
    columns: planned.columns.map(column => {
      const isAlone = column.own !== undefined || column.isSourceField
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
 * The headers that an export gives the columns of a model: `headers` has labels by field path. A foreign key that is
 * found by a field of its record is exported as that: `country__iso2`.
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
