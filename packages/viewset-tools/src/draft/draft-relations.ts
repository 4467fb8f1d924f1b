import type { ColumnInfo, TableInfo } from 'viewset'
import { has } from 'viewset/internal'
import { chooseFields } from './choose-fields.ts'
import type { ExportedTable } from './exported-tables.ts'

/** What a serializer says of the columns that refer to other records. */
export interface RelationsDraft {
  /** The fields that are called like their columns; the others are in `extra` only. */
  readonly fields: readonly string[]
  /** The lines of `extra`. */
  readonly extra: readonly string[]
  /** The tables that are referred to, each once. */
  readonly referred: readonly ExportedTable[]
}

/** Names of what people know a record by, the best first; an address of theirs is not for everyone to see. */
const LABELS = ['name', 'title', 'label', 'displayName', 'fullName', 'username', 'code', 'slug', 'number']

/** Shows the records that columns refer to, where these are in the tables and can be referred to by their key. */
export function draftRelations(columns: readonly ColumnInfo[], all: readonly ExportedTable[]): RelationsDraft {
  const keys = new Set(columns.map(({ key }) => key))
  const drafts = columns.map(column => {
    const target = targetOf(column, all)
    if (!target) return { field: column.key }
    // A field that is called like the relation and not like the column has to name the column.
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

/** What the serializer is called by which other records show one of this table. */
export function referenceName({ record }: ExportedTable): string {
  return `${record}Reference`
}

/** That serializer, as code: the key, and what people call a record by. */
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
