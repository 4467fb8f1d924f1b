import { pluralize, singularize } from 'inflection'
import type { ColumnInfo, TableInfo } from './model-info.ts'

const LONGEST_VALUE = 50

export function noSuchRecord({ name }: TableInfo, column: ColumnInfo, value: unknown): string {
  return `There is no ${words(singularize(name))} with the ${named(column, value)}.`
}

export function severalSuchRecords({ name }: TableInfo, column: ColumnInfo, value: unknown): string {
  return `Several ${words(pluralize(singularize(name)))} have the ${named(column, value)}. Use a value that only one has.`
}

function named({ wire }: ColumnInfo, value: unknown): string {
  const text = String(value)
  const short = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}...` : text
  return `${words(wire)} "${short}"`
}

function words(name: string): string {
  return name.replace(/_+/g, ' ').trim()
}
