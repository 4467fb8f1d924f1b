import { suggestion } from '../../core/suggestion.ts'
import { type ImportColumn, isInFile, type ModelPlan } from './plan.ts'

/** The columns that a name means, or why it means none. */
export type NamedColumns = { readonly columns: readonly ImportColumn[] } | { readonly problem: string }

/**
 * The columns that `name` means: a name of a column, or `cities.name` where two models have it. Columns of one flat
 * header are one column of a file, which several models read.
 *
 * @param namesOf what a column may be called
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
    const known = new Set(named.flatMap(candidate => [candidate.name, candidate.full]))
    return { problem: `"${name}" is not imported${suggestion(name, known)}` }
  }
  const isAmbiguous = new Set(found.map(({ column }) => column.flatHeader)).size > 1
  if (isAmbiguous) return { problem: `which one? Write ${found.map(({ full }) => `"${full}"`).join(' or ')}` }
  return { columns: found.map(({ column }) => column) }
}

/** What code calls a column: its field, or its source field. */
export function codeNames({ name, column }: ImportColumn): readonly string[] {
  return [name, column.key]
}
