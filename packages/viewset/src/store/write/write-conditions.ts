import { quoteName } from '../../model/drizzle.ts'
import type { ColumnInfo, ModelInfo, Unique } from '../../model/model-info.ts'
import type { QuerySet } from '../queryset.ts'
import { needsRanges, rowsInRanges, withoutCase } from '../rows-in-ranges.ts'
import { columnName, tableName } from '../select.ts'
import type { Bound } from '../sql-value.ts'

export interface Reference {
  readonly queryset: QuerySet
  readonly column: ColumnInfo
  readonly value: unknown
}

/** A written row's values in the columns of a unique constraint, none of them null. */
export interface Claim {
  readonly unique: Unique
  /** `undefined` for a value that an update keeps. */
  readonly values: readonly unknown[]
}

export interface WriteConditions {
  readonly references: readonly Reference[]
  readonly claims: readonly Claim[]
}

/**
 * Renders each condition as a term. Referenced rows must exist. No row of `model` may have the claimed values, except
 * the row with the primary key `except`.
 */
export function renderConditions(
  bound: Bound,
  model: ModelInfo,
  { references, claims }: WriteConditions,
  except?: { readonly key: unknown },
): readonly string[] {
  const terms: string[] = []
  for (const reference of references) terms.push(isThere(bound, reference))
  for (const claim of claims) terms.push(isFree(bound, model, claim, except))
  return terms
}

function isThere(bound: Bound, { queryset, column, value }: Reference): string {
  const { model } = queryset
  const equal = `${columnName(model, column)} = ${bound.add(bound.dialect.encode(column, value))}`
  const scope = bound.condition(queryset)
  const matches = scope === undefined ? equal : `${equal} and ${scope}`
  return `exists (select 1 from ${tableName(model)} where ${matches})`
}

const OTHER = '"_other"'

function isFree(bound: Bound, model: ModelInfo, { unique, values }: Claim, except?: { readonly key: unknown }): string {
  const { dialect } = bound
  const { columns, ignoreCase } = unique
  const table = `${tableName(model)} as ${OTHER}`
  const encoded = columns.map((column, index) => {
    return values[index] === undefined ? undefined : dialect.encode(column, values[index])
  })
  const isTaken = (rows: string) => {
    const terms = columns.map((column, index) => {
      const fold = (text: string) => (ignoreCase ? withoutCase(dialect, column, text) : text)
      const claimed = encoded[index] === undefined ? columnName(model, column) : bound.add(encoded[index])
      return `${fold(`${OTHER}.${quoteName(column.name)}`)} = ${fold(claimed)}`
    })
    if (except) {
      const { primaryKey } = model
      terms.push(`${OTHER}.${quoteName(primaryKey.name)} <> ${bound.add(dialect.encode(primaryKey, except.key))}`)
    }
    return `not exists (select 1 from ${rows} where ${terms.join(' and ')})`
  }
  if (!ignoreCase || !needsRanges(dialect, columns)) return isTaken(table)
  return rowsInRanges(bound, { table, name: OTHER }, columns, [encoded], isTaken).join(' and ')
}
