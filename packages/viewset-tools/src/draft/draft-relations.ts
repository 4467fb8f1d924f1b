import type { ColumnInfo, TableInfo } from 'viewset'
import { has } from 'viewset/internal'
import { chooseFields } from './choose-fields.ts'
import type { ExportedTable } from './exported-tables.ts'

/** The relations of a drafted serializer. */
export interface RelationsDraft {
  /** Fields with the name of their column. The other fields are only in `extra`. */
  readonly fields: readonly string[]
  readonly extra: readonly string[]
  /** The related tables, each once. */
  readonly referred: readonly ExportedTable[]
}

/** Columns that name a record for people, the best first. No addresses: not every user may see them. */
const LABELS = ['name', 'title', 'label', 'displayName', 'fullName', 'username', 'code', 'slug', 'number']

/** Only relations to exported tables, by their primary key, are drafted. */
export function draftRelations(columns: readonly ColumnInfo[], all: readonly ExportedTable[]): RelationsDraft {
  const keys = new Set(columns.map(({ key }) => key))
  const drafts = columns.map(column => {
    const target = targetOf(column, all)
    if (!target) return { field: column.key }
    // A field with another name than its column has to name the column.
    const name = column.key.replace(/(?<=[a-z])I[dD]$/, '')
    const field = keys.has(name) ? column.key : name
    const options = [
      `queryset: ${target.constant}`,
      `serializer: ${referenceName(target)}`,
      ...(field === column.key ? [] : [`column: '${column.key}'`]),
    ]
    return { field, target, line: `${field}: IdToDataField({ ${options.join(', ')} }),` }
  })
  return {
    fields: drafts.filter(({ field }) => keys.has(field)).map(({ field }) => field),
    extra: drafts.flatMap(({ line }) => line ?? []),
    referred: [...new Set(drafts.flatMap(({ target }) => target ?? []))],
  }
}

function targetOf({ references }: ColumnInfo, all: readonly ExportedTable[]): ExportedTable | undefined {
  if (!references) return undefined
  const target = all.find(({ info }) => info.table === references.target)
  return target?.info.primaryKey === references.column ? target : undefined
}

/** The serializer for records of this table inside other records. */
export function referenceName({ record }: ExportedTable): string {
  return `${record}Reference`
}

/** It shows the key and the label of a record. */
export function draftReference(table: ExportedTable): string {
  const { constant, info } = table
  const fields = [info.primaryKey, labelOf(info)].flatMap(column => (column ? [`'${column.key}'`] : []))
  const code = `BaseModelSerializer(${constant}, { fields: [${[...new Set(fields)].join(', ')}] })`
  return `const ${referenceName(table)} = ${code}`
}

function labelOf(info: TableInfo): ColumnInfo | undefined {
  const texts = chooseFields(info).shown.filter(column => has(column, 'text'))
  return LABELS.flatMap(name => texts.find(({ key }) => key === name) ?? [])[0]
}
