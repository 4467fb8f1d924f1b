import { suggestion } from '../../core/suggestion.ts'
import { type ConfigCheck, isObject } from './config-check.ts'
import { headerKey } from './headers.ts'
import { type ImportColumn, isInFile, type ModelPlan } from './plan.ts'

/**
 * Assigns the configured headers to columns, in their order.
 *
 * @throws ConfigError for a header of an unknown field, or one that hides another column's name
 */
export function withSpellings(
  check: ConfigCheck,
  models: readonly ModelPlan[],
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): readonly ModelPlan[] {
  check.that(isObject(headers) && !Array.isArray(headers), 'headers', 'must be an object: the field for each header')
  const spellings = new Map<ImportColumn, string[]>()
  const seen = new Map<string, string>()
  for (const [header, fields] of Object.entries(headers)) {
    const at = `headers.${header}`
    const key = headerKey(header)
    check.that(key !== '', 'headers', 'has a header without text')
    check.that(!seen.has(key), at, `is the same header as "${seen.get(key)}"`)
    seen.set(key, header)
    for (const column of columnsOf(check, at, models, fields)) {
      spellings.set(column, [...(spellings.get(column) ?? []), header])
    }
  }
  const spelled = models.map(model => ({
    ...model,
    columns: model.columns.map(column => ({ ...column, spellings: spellings.get(column) ?? [] })),
  }))
  checkTaken(check, spelled)
  return spelled
}

function columnsOf(
  check: ConfigCheck,
  at: string,
  models: readonly ModelPlan[],
  fields: string | readonly string[],
): ReadonlySet<ImportColumn> {
  const names = [fields].flat()
  check.that(names.length > 0, at, 'names no field')
  return new Set(
    names.flatMap(name => {
      check.that(typeof name === 'string', at, 'must be a field or a list of fields')
      const found = columnsNamed(models, name, codeNames)
      return 'columns' in found ? found.columns : check.refuse(at, problemOf(name, found))
    }),
  )
}

/** The reason why a name of the configuration stands for no column. */
export function problemOf(name: string, found: Exclude<NamedColumns, { readonly columns: unknown }>): string {
  if ('known' in found) return `"${name}" is not imported${suggestion(name, found.known)}`
  return `which one? Write ${found.ambiguous.map(full => `"${full}"`).join(' or ')}`
}

function checkTaken(check: ConfigCheck, models: readonly ModelPlan[]): void {
  const all = models.flatMap(({ key, columns }) => columns.map(column => ({ key, column })))
  for (const { key, column } of all) {
    // Columns that share a source field keep its name.
    if (column.spellings.length > 0 || column.isSourceField || !isInFile(column)) continue
    for (const { key: otherKey, column: other } of all) {
      const taken = other.spellings.find(header => {
        const name = headerKey(header)
        return name === headerKey(column.flatHeader) || (key === otherKey && name === headerKey(column.header))
      })
      if (taken === undefined) continue
      const problem = `is what "${key}.${column.header}" is called by itself; give that a header of its own`
      check.refuse(`headers.${taken}`, problem)
    }
  }
}

/** The columns of a name, or the names of all columns if there is none, or the full names if several have it. */
export type NamedColumns =
  | { readonly columns: readonly ImportColumn[] }
  | { readonly known: readonly string[] }
  | { readonly ambiguous: readonly string[] }

/**
 * The columns that `name` stands for: a column's name, or `cities.name` if two models have it. Columns with the same
 * flat header are one column of the file, read by several models.
 *
 * @param namesOf the possible names of a column
 */
export function columnsNamed(
  models: readonly Pick<ModelPlan, 'key' | 'columns'>[],
  name: string,
  namesOf: (column: ImportColumn) => readonly string[],
): NamedColumns {
  const named = models.flatMap(({ key, columns }) =>
    columns
      .filter(isInFile)
      .flatMap(column => [...new Set(namesOf(column))].map(each => ({ name: each, full: `${key}.${each}`, column }))),
  )
  const found = named.filter(candidate => candidate.name === name || candidate.full === name)
  if (found.length === 0) {
    const isBare = models.length === 1 && !name.includes('.')
    const namesOfAll = named.flatMap(candidate => (isBare ? [candidate.name] : [candidate.name, candidate.full]))
    return { known: [...new Set(namesOfAll)] }
  }
  const isAmbiguous = new Set(found.map(({ column }) => column.flatHeader)).size > 1
  if (isAmbiguous) return { ambiguous: found.map(({ full }) => full) }
  return { columns: found.map(({ column }) => column) }
}

export function codeNames({ name, column }: Pick<ImportColumn, 'name' | 'column'>): readonly string[] {
  return [name, column.key]
}
