import { BoundedCache } from '../../core/bounded-cache.ts'
import { type ImportColumn, type ImportPlan, isInFile, type ModelPlan } from './plan.ts'

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
export function ownHeader(column: ImportColumn, isFlat: boolean): string {
  const { spellings, label, header, flatLabel, flatHeader } = column
  return spellings[0] ?? (isFlat ? (flatLabel ?? flatHeader) : (label ?? header))
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

/** Labels of exports by field path: `{ country__iso2: 'Country' }`. */
export type Labels = Readonly<Record<string, string | undefined>>

/**
 * The headers of a model's columns in exports. A foreign key with a lookup is exported as `country__iso2`, a relation to
 * many by its name.
 */
export function headerAliases(plan: Pick<ModelPlan, 'columns'>, labels: Labels): HeaderAliases {
  return new Map(
    plan.columns.map(column => {
      const { lookup, links } = column
      const { key, wire } = column.column
      const path = lookup && !links ? `${key}__${lookup.by.key}` : key
      const wirePath = lookup && !links ? `${wire}__${lookup.by.wire}` : wire
      const label = Object.hasOwn(labels, path) ? labels[path] : undefined
      const byUnderscore = wirePath.replaceAll('__', '_')
      return [column, { label, paths: [wirePath, byUnderscore] }]
    }),
  )
}

/**
 * The plan with the labels of exports as headers of its main model. A label that is also a header of another column is
 * not used, since one column of a file would then feed both. The same holds for a column that feeds several fields.
 */
export function withLabels(plan: ImportPlan, main: ModelPlan, labels: Labels): ImportPlan {
  const aliases = headerAliases(main, labels)
  const inSheet = new HeaderClaims([main], aliases, false)
  const inFile = new HeaderClaims(plan.models, aliases, true)
  const columns = main.columns.map(column => {
    const label = isInFile(column) ? aliases.get(column)?.label : undefined
    if (label === undefined) return column
    return {
      ...column,
      ...(inSheet.isFree(column, label) && { label }),
      ...(inFile.isFree(column, label) && { flatLabel: label }),
    }
  })
  return { ...plan, models: plan.models.map(model => (model === main ? { ...main, columns } : model)) }
}

/** The columns that each header may mean. */
class HeaderClaims {
  readonly #claims = new Map<string, Set<ImportColumn>>()
  readonly #columns = new Map<string, Set<ImportColumn>>()
  readonly #fieldOf: (column: ImportColumn) => string

  constructor(models: readonly ModelPlan[], aliases: HeaderAliases, isFlat: boolean) {
    this.#fieldOf = ({ header, flatHeader }) => headerKey(isFlat ? flatHeader : header)
    for (const { key: model, columns } of models) {
      for (const column of columns.filter(isInFile)) {
        const { label = '', paths = [] } = aliases.get(column) ?? {}
        const { header, flatHeader, spellings } = column
        add(this.#columns, this.#fieldOf(column), column)
        for (const name of [header, flatHeader, `${model}.${header}`, ...spellings, label, ...paths])
          add(this.#claims, headerKey(name), column)
      }
    }
  }

  /** Whether no other column has this header, or the field of this one. */
  isFree(column: ImportColumn, label: string): boolean {
    const key = headerKey(label)
    const isAlone = this.#columns.get(this.#fieldOf(column))?.size === 1
    return key !== '' && isAlone && this.#claims.get(key)?.size === 1
  }
}

function add(columns: Map<string, Set<ImportColumn>>, key: string, column: ImportColumn): void {
  columns.set(key, (columns.get(key) ?? new Set()).add(column))
}
