import type { TableInfo } from 'viewset'
import { modelInfo } from 'viewset/internal'
import { importLine } from '../code.ts'
import { kebabCase } from '../identifiers.ts'
import { chooseFields, isSoftDeletable } from './choose-fields.ts'
import { draftReference, draftRelations, referenceName } from './draft-relations.ts'
import type { ExportedTable } from './exported-tables.ts'
import { indexedColumns, lookupsOf } from './indexed-fields.ts'

export interface ResourceDraft {
  /** The name in URLs and files. */
  readonly name: string
  readonly viewset: string
  readonly text: string
  readonly referred: readonly ExportedTable[]
  /** Sentences about parts to check. */
  readonly notes: readonly string[]
}

/** The modules that a draft imports. */
export interface DraftPlace {
  readonly tables: string
  /** The module with the serializers of related records. Default: the draft itself. */
  readonly references?: string
}

/**
 * The reason why a table cannot be a resource; `undefined` if it can. @throws ConfigError for other problems of the
 * table
 */
export function reasonAgainst({ table, columns, key }: TableInfo): string | undefined {
  if (key.length === 0 && columns.every(({ kind }) => kind === 'other' || kind === 'json' || kind === 'array')) {
    return 'it has no primary key and no column that orders its rows'
  }
  modelInfo(table)
  const isJoin = key.length > 1 && columns.every(column => key.includes(column) && column.references)
  return isJoin ? 'it only joins others: it can be the `through` of a ManyIdToDataField' : undefined
}

/** Call it for tables without a {@link reasonAgainst} them. */
export function draftResource(table: ExportedTable, all: readonly ExportedTable[], place: DraftPlace): ResourceDraft {
  const { constant, record, info } = table
  const { shown, left, canCreate } = chooseFields(info)
  const { fields, extra, referred } = draftRelations(shown, all)
  const isKeyless = info.key.length === 0
  const [base, used] = isKeyless
    ? ['compose(ListModelMixin, FileExportMixin)', ['compose', 'FileExportMixin', 'ListModelMixin']]
    : canCreate
      ? ['BaseViewSet', ['BaseViewSet']]
      : ['ReadOnlyViewSet', ['ReadOnlyViewSet']]
  const soft = isSoftDeletable(info)
  const keepsRows = soft && canCreate && !isKeyless

  const names = ['BaseModelSerializer', ...used, 'IsAuthenticated']
  if (extra.length > 0) names.push('IdToDataField')
  const imports = [
    importLine(names, 'viewset'),
    importLine([constant, ...referred.map(other => other.constant)], place.tables),
  ]
  if (place.references && referred.length > 0) imports.push(importLine(referred.map(referenceName), place.references))

  const serializer = [
    `fields: [${fields.map(field => `'${field}'`).join(', ')}],`,
    ...(extra.length > 0 ? ['extra: {', ...extra.map(line => `  ${line}`), '},'] : []),
  ]
  const settings = [
    `model: ${constant},`,
    `serializer: ${record}Serializer,`,
    'permissionClasses: [IsAuthenticated],',
    ...(keepsRows ? keptRows(table) : []),
    ...(soft ? ['softDelete: true,'] : []),
    ...listSettings(info, new Set(shown.map(({ key }) => key))),
  ]
  const parts = [
    imports.join('\n'),
    ...(place.references ? [] : referred.map(draftReference)),
    `export const ${record}Serializer = BaseModelSerializer(${constant}, {\n${indented(serializer)}})`,
    `export const ${record}ViewSet = ${base}({\n${indented(settings)}})`,
  ]
  return {
    name: kebabCase(constant),
    viewset: `${record}ViewSet`,
    text: `${parts.join('\n\n')}\n`,
    referred,
    notes: [
      ...left.map(({ column, why }) => `${constant}.${column.key} ${why}, so it is no field.`),
      ...(isKeyless ? [`${constant} has no primary key: its rows are listed and exported.`] : []),
      ...(canCreate || isKeyless ? [] : [`${constant} is read only: a new record would need what is left out.`]),
    ],
  }
}

/** Clients can filter and order by columns that an index finds. */
function listSettings(info: TableInfo, shown: ReadonlySet<string>): readonly string[] {
  const indexed = indexedColumns(info).filter(({ key }) => shown.has(key))
  const filters = indexed.map(
    column =>
      `  ${column.key}: [${lookupsOf(column)
        .map(name => `'${name}'`)
        .join(', ')}],`,
  )
  const [first = info.columns[0]] = info.key
  const ordering = indexed.some(({ key }) => key === 'createdAt') ? '-createdAt' : first?.key
  return [
    'filterFields: {',
    ...filters,
    '},',
    `orderingFields: [${indexed.map(({ key }) => `'${key}'`).join(', ')}],`,
    `ordering: '${ordering}',`,
  ]
}

/** Comments on the setting `softDelete`. */
function keptRows({ info }: ExportedTable): readonly string[] {
  const uniques = info.uniques.map(({ columns }) => `"${columns.map(({ key }) => key).join(', ')}"`)
  const values = uniques.length === 0 ? '' : ` and its unique ${uniques.join(' and ')}`
  return [
    `// A delete keeps the row${values}.`,
    ...(uniques.length === 0 ? [] : ['// To free the values, see docs/models.md#mixins of Viewset.']),
  ]
}

function indented(lines: readonly string[]): string {
  return lines.map(line => `  ${line}\n`).join('')
}
