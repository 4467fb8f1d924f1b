import type { ColumnInfo } from '../model/model-info.ts'
import type { Cell } from '../tabular/table.ts'
import { Check } from './check.ts'
import type { ImportColumn, ImportPlan } from './plan.ts'

/** Values of a template's example rows, by model and field or source field. */
export type ImportExamples<K extends string = string, F extends string = string> = {
  readonly [M in K]?: { readonly [P in F]?: string | number | boolean | null }
}

/** The example of each column of an import. */
export type Examples = (column: ImportColumn) => Cell

/**
 * Examples that agree with each other: what refers to a model of the same file holds what that model's example has. The
 * others are as `given`, or else fit the type of their column.
 *
 * @throws ConfigError for a model or a field that the import does not have
 */
export function examplesOf(subject: string, plan: ImportPlan, given: ImportExamples = {}): Examples {
  const check = new Check(subject)
  const { models } = plan
  check.keys(
    'importExamples',
    given,
    models.map(({ key }) => key),
  )
  const examples = new Map<ImportColumn, Cell>()
  for (const [index, { key, columns }] of models.entries()) {
    const chosen: Readonly<Record<string, Cell | undefined>> = given[key] ?? {}
    check.keys(
      `importExamples.${key}`,
      chosen,
      columns.map(({ name }) => name),
    )
    for (const column of columns) {
      const parent = parentColumn(plan, index, column)
      const example = chosen[column.name] ?? (parent && examples.get(parent)) ?? standardExample(column)
      examples.set(column, example)
    }
  }
  return column => examples.get(column) ?? null
}

/** The column of a model before this one that a foreign key is found by, where it is in the file. */
function parentColumn(plan: ImportPlan, index: number, { lookup }: ImportColumn): ImportColumn | undefined {
  if (!lookup) return undefined
  const parent = plan.models.slice(0, index).findLast(({ model }) => model.table === lookup.model.table)
  return parent?.columns.find(({ column }) => column === lookup.by)
}

/** What a column without a chosen example has. A record that is not in the file can only be known by who fills it in. */
function standardExample({ column, lookup }: ImportColumn): Cell {
  if (lookup && column.nullable) return null
  return exampleOfKind(lookup?.by ?? column)
}

function exampleOfKind({ kind, key, length, scale, values }: ColumnInfo): Cell {
  switch (kind) {
    case 'integer':
    case 'bigint':
      return 1
    case 'float':
      return 1.5
    case 'decimal':
      return scale ? `0.${'5'.padEnd(scale, '0')}` : '1'
    case 'boolean':
      return true
    case 'date':
      return '2026-01-15'
    case 'timestamp':
      return '2026-01-15T10:30:00Z'
    case 'uuid':
      return '01900000-0000-7000-8000-000000000001'
    case 'enumeration':
      return values?.[0] ?? null
    case 'json':
      return '{}'
    default:
      return (/email/i.test(key) ? 'name@example.org' : 'Example').slice(0, length)
  }
}
