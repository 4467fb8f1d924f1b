import type { ImportColumn, ModelPlan } from './plan.ts'

/** A model's columns before it is known how a flat file calls them. */
export type PlannedColumn = Omit<ImportColumn, 'flatHeader'>
export type PlannedModel = Omit<ModelPlan, 'columns'> & { readonly columns: readonly PlannedColumn[] }

/** Headers match ignoring case and outer blanks, and a blank is as good as an underscore: `Native name`. */
export function headerKey(header: string): string {
  return header.normalize('NFC').trim().replace(/\s+/g, '_').toLowerCase()
}

/**
 * Gives columns their names in a flat file, which covers every model. Where two models have a column of one name that
 * does not mean the same, each is called after its model: `countries.name`, `cities.name`. It means the same where both
 * hold the same column of one model: the code that a country is written with is also what a city finds it by.
 */
export function withFlatHeaders(models: readonly PlannedModel[]): readonly ModelPlan[] {
  const meanings = new Map<string, Set<string>>()
  for (const planned of models) {
    for (const column of planned.columns) {
      const key = headerKey(column.header)
      meanings.set(key, (meanings.get(key) ?? new Set()).add(meaningOf(planned, column)))
    }
  }
  return models.map(planned => ({
    ...planned,
    columns: planned.columns.map(column => {
      const isShared = meanings.get(headerKey(column.header))?.size === 1
      return { ...column, flatHeader: isShared ? column.header : `${planned.key}.${column.header}` }
    }),
  }))
}

function meaningOf({ model }: PlannedModel, { lookup, column }: PlannedColumn): string {
  return lookup ? `${lookup.model.id} ${lookup.by.name}` : `${model.id} ${column.name}`
}
