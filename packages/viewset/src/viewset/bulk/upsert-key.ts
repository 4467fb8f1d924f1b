import type { SQL } from 'drizzle-orm'
import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'

export interface UpsertKey {
  readonly columns: readonly ColumnInfo[]
  readonly ignoreCase: boolean
  /** The records to search. Default: all. */
  readonly where?: SQL | undefined
}

/** Checks that fields are unique together: otherwise two concurrent requests could create a record twice. */
export function upsertKey(subject: string, model: ModelInfo, fields: readonly string[]): UpsertKey {
  const refuse = (problem: string) => new ConfigError(subject, 'upsertFields', problem)
  if (!Array.isArray(fields)) throw refuse('must be a list of fields')
  const columns = fields.map(field => {
    const column = model.byKey.get(field)
    if (!column) throw refuse(`unknown field "${field}"${suggestion(String(field), model.byKey.keys())}`)
    if (!column.generated) return column
    throw refuse(`"${field}" is computed by the database, so no client can send it; name what it is computed from`)
  })
  const groups: readonly UpsertKey[] = [
    { columns: [model.primaryKey], ignoreCase: false },
    ...model.uniques,
    ...model.partialUniques,
  ]
  const unique = groups.find(
    group => group.columns.length === columns.length && group.columns.every(column => columns.includes(column)),
  )
  if (unique) return { columns, ignoreCase: unique.ignoreCase, where: unique.where }
  const known = groups.map(group => group.columns.map(column => column.key).join(', ')).join('; ')
  throw refuse(`must be unique in the database; unique are: ${known}`)
}
