import { pluralize, singularize } from 'inflection'
import { type Message, message } from '../core/messages/message.ts'
import type { ColumnInfo, TableInfo } from './model-info.ts'

const LONGEST_VALUE = 50
const MOST_VALUES = 10

/** The words for a column of one record: `a country`, `native name`. */
export function namesInWords({ name }: TableInfo, { wire }: ColumnInfo): { record: string; field: string } {
  return { record: words(singularize(name)), field: words(wire) }
}

/** The message for a value of a column that no record has. */
export function noSuchRecord(table: TableInfo, column: ColumnInfo, value: unknown): Message {
  return message('does_not_exist', { ...namesInWords(table, column), value: short(value) })
}

/** The message for a primary key that no record has. */
export function noSuchRecordWithKey({ name, key: columns }: TableInfo, key: unknown): Message {
  const field = columns.map(({ wire }) => words(wire)).join(', ')
  return message('does_not_exist', { record: words(singularize(name)), field, value: short([key].flat().join(', ')) })
}

/** The message for values of a column, some of which no record has. */
export function noSuchRecords(table: TableInfo, column: ColumnInfo, values: readonly unknown[]): Message {
  if (values.length === 1) return noSuchRecord(table, column, values[0])
  const shown = values.slice(0, MOST_VALUES).map(value => `"${short(value)}"`)
  return message('does_not_exist.several', {
    records: words(pluralize(singularize(table.name))),
    field: words(column.wire),
    values: shown,
    more: values.length - shown.length,
  })
}

/** The message for a value of a column that several records have. */
export function severalSuchRecords({ name }: TableInfo, { wire }: ColumnInfo, value: unknown): Message {
  const records = words(pluralize(singularize(name)))
  return message('ambiguous', { records, field: words(wire), value: short(value) })
}

function short(value: unknown): string {
  const text = String(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}...` : text
}

function words(name: string): string {
  return name.replace(/_+/g, ' ').trim()
}
