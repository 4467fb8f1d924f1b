import { ValidationError } from '../../core/errors.ts'
import { inEnglish, Message, message } from '../../core/messages/message.ts'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import {
  formOf,
  formsOfLocale,
  LocaleFault,
  type LocaleForm,
  type LocaleForms,
} from '../../kinds/locale/locale-forms.ts'
import type { ColumnInfo, Unique } from '../../model/model-info.ts'
import { columnSchema, storableSchema } from '../../serializer/column-schema.ts'
import { isReadable, isWritable, type ManyField, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ImportTransform } from '../config.ts'
import type { ConfigCheck } from '../plan/config-check.ts'
import { asKeyPart, deletionText } from '../plan/deletion-column.ts'
import { fillsField, type ImportColumn, type ImportLookup, type ImportPlan, type ModelPlan } from '../plan/plan.ts'
import { codeNames, columnsNamed, problemOf } from '../plan/spellings.ts'
import { fieldRules } from '../plan/with-serializer.ts'
import { asCell, type CellReader, importCellReader, linksReader, listReader } from './cells.ts'

export interface ModelReader {
  readonly plan: ModelPlan
  readonly columns: readonly ColumnReader[]
  /** -1 if there is none. */
  readonly deletion: number
  /** The position of the column with versions, or -1. */
  readonly version: number
  /** The positions of columns that find a stored record. */
  readonly unique: readonly number[]
  readonly otherUniques: readonly UniqueColumns[]
  /** Unique conditions and expressions over imported columns, which only the database can check. */
  readonly conditionalUniques: readonly ConditionalUnique[]
  readonly sight: ColumnSight
  readonly serializer: ModelSerializer | undefined
}

/** Columns that are unique among some rows, or in an expression. */
export interface ConditionalUnique extends Unique {
  /** The columns in the condition. */
  readonly whereColumns: readonly ColumnInfo[]
}

interface UniqueColumns {
  readonly unique: Unique
  /** Their positions among the reader's columns, without those that are not imported. */
  readonly positions: readonly number[]
}

export interface ColumnReader {
  readonly plan: ImportColumn
  /** Reads a value of the column or, for a foreign key, of its lookup column. */
  readonly read: CellReader
  readonly transform: ImportTransform | undefined
  readonly form: LocaleForm | undefined
}

/** Messages for a cell of a workbook, in which people type a number as their program shows it. */
const OF_WORKBOOK: Readonly<Record<string, 'invalid_number.cell' | 'invalid_number.text_cell'>> = {
  invalid_number: 'invalid_number.cell',
  'invalid_number.comma': 'invalid_number.text_cell',
  'invalid_integer.comma': 'invalid_number.text_cell',
}

/** A column as the cells of a workbook need it. */
export function ofWorkbook<C extends ColumnReader>(column: C): C {
  const { lookup, column: stored } = column.plan
  const { tabular } = kindOf(lookup?.by ?? stored)
  if (tabular !== 'integer' && tabular !== 'decimal' && tabular !== 'float') return column
  const read: CellReader = (cell, context) => {
    const value = column.read(cell, context)
    if (!(value instanceof CellProblem && value.text instanceof Message)) return value
    const { text } = value
    const name = OF_WORKBOOK[text.name]
    return name === undefined ? value : new CellProblem(message(name, text.params as { value: string }))
  }
  return { ...column, read }
}

/** The columns that every row needs: to find a record, or because a value is required. */
export function isNeeded(readers: readonly ModelReader[]): (column: ColumnReader) => boolean {
  const needed = new Set(
    readers.flatMap(({ plan, columns }) =>
      columns.filter(
        ({ plan: { required, takesBlank, column } }) => required || takesBlank || plan.unique.columns.includes(column),
      ),
    ),
  )
  return column => needed.has(column)
}

export function modelReaders(
  check: ConfigCheck,
  { models, locale = {} }: ImportPlan,
  transforms: ReadonlyMap<ImportColumn, ImportTransform>,
  mainModel: ModelPlan,
  serializer: ModelSerializer | undefined,
): readonly ModelReader[] {
  return models.map(plan => {
    const modelSerializer = plan.model === mainModel.model ? serializer : undefined
    const columns = plan.columns.map((column): ColumnReader => {
      const { lookup } = column
      const { checked, refinement } = fieldRules(column.column, modelSerializer)
      const isKey = plan.unique.columns.includes(column.column)
      const asRead = isKey ? asKeyPart(checked) : checked
      const refined = () => storableSchema(asRead, refinement)
      const read = lookup
        ? lookupReader(asRead, column, lookup)
        : (recordsReader(column) ??
          deletionReader(column) ??
          importCellReader(asRead, refined(), refinement !== undefined, column.takesBlank))
      checkConstant(check, plan, column, read)
      return { plan: column, read, transform: transforms.get(column), form: formOfColumn(column, locale) }
    })
    const positionOf = (column: ColumnInfo) => plan.columns.findIndex(candidate => candidate.column === column)
    // A fixed value is the same in all rows and cannot distinguish them.
    const unique = plan.unique.columns.map(positionOf).filter(at => at !== -1)
    const primaryKey: Unique = { name: undefined, columns: plan.model.key, ignoreCase: false }
    const imported = (uniques: readonly Unique[]) =>
      uniques
        .filter(({ columns }) => !isSameSet(columns, plan.unique.columns))
        .map(other => ({ unique: other, positions: other.columns.map(positionOf).filter(at => at !== -1) }))
        .filter(({ positions }) => positions.length > 0)
    const otherUniques = imported([primaryKey, ...plan.model.uniques])
    const conditionalUniques = conditionalUniquesOf(plan)
    const deletion = plan.columns.findIndex(({ deletes }) => deletes !== undefined)
    const version = plan.columns.findIndex(({ isVersion }) => isVersion)
    const sight = columnSight(plan, serializer)
    return {
      plan,
      columns,
      deletion,
      version,
      unique,
      otherUniques,
      conditionalUniques,
      sight,
      serializer: modelSerializer,
    }
  })
}

function conditionalUniquesOf({ model, unique, columns }: ModelPlan): readonly ConditionalUnique[] {
  const isImported = (column: ColumnInfo) =>
    columns.some(imported => imported.column === column && fillsField(imported))
  return model.otherUniques
    .filter(other => !isSameSet(other.columns, unique.columns))
    .map(other => ({ whereColumns: [], ...other, ...model.partialUniques.find(({ name }) => name === other.name) }))
    .filter(other => [...other.columns, ...other.whereColumns].some(isImported))
}

/** Cells that link, list records, delete or name a version are the same in every locale. */
function formOfColumn(planned: ImportColumn, locale: LocaleForms): LocaleForm | undefined {
  const { column, lookup, links, list } = planned
  return links || list || !fillsField(planned) ? undefined : formOf(lookup?.by ?? column, locale)
}

/** The readers for files in another language than the configuration's. @throws ValidationError for a wrong one */
export function readersIn(locale: string | undefined, readers: readonly ModelReader[]): readonly ModelReader[] {
  if (locale === undefined) return readers
  const forms = formsOfLocale(locale)
  if (forms instanceof LocaleFault) throw new ValidationError({ locale: [forms.text] })
  return readers.map(reader => ({
    ...reader,
    columns: reader.columns.map(column => ({ ...column, form: formOfColumn(column.plan, forms) })),
  }))
}

const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** An invalid constant would fail in every row. */
function checkConstant(
  check: ConfigCheck,
  { key }: ModelPlan,
  { appValue, name }: ImportColumn,
  read: CellReader,
): void {
  if (!appValue || !('constant' in appValue)) return
  const value = read(asCell(appValue.constant), IN_UTC)
  if (value instanceof CellProblem) check.refuse(`models.${key}.constantFields.${name}`, inEnglish(value.text))
}

function isSameSet(a: readonly ColumnInfo[], b: readonly ColumnInfo[]): boolean {
  return a.length === b.length && a.every(column => b.includes(column))
}

function lookupReader(key: ColumnInfo, { links }: ImportColumn, lookup: ImportLookup): CellReader {
  const { nullable, hasDefault, createValue, hasPlainDefault, column } = key
  // A text that is too long names no record.
  const { length: _, ...by } = lookup.by
  const asked: ColumnInfo = { ...by, nullable, hasDefault, createValue, hasPlainDefault, column }
  const readOne = importCellReader(asked, columnSchema(asked), false)
  return links ? linksReader(lookup, links, readOne) : readOne
}

function recordsReader({ list }: ImportColumn): CellReader | undefined {
  return list && listReader(list)
}

function deletionReader({ deletes }: ImportColumn): CellReader | undefined {
  return deletes && (cell => deletes.has(deletionText(cell)))
}

/** @throws ConfigError for a transform of an unknown or ambiguous column. */
export function assignTransforms(
  check: ConfigCheck,
  models: readonly ModelPlan[],
  transforms: Readonly<Record<string, ImportTransform | undefined>>,
): ReadonlyMap<ImportColumn, ImportTransform> {
  const assigned = new Map<ImportColumn, ImportTransform>()
  for (const [name, transform] of Object.entries(transforms)) {
    if (transform === undefined) continue
    const at = `importTransforms.${name}`
    if (typeof transform !== 'function') check.refuse(at, 'must be a function of the value')
    const found = columnsNamed(models, name, codeNames)
    if (!('columns' in found)) return check.refuse(at, problemOf(name, found))
    for (const column of found.columns) assigned.set(column, transform)
  }
  return assigned
}

export interface ColumnSight {
  readonly shown: readonly ImportColumn[]
  /** Write-only columns, whose stored values must stay secret. */
  readonly secret: ReadonlySet<ImportColumn>
}

/** Shows the columns that the serializer and those of its relations show. Without a serializer, all. */
function columnSight({ model, columns }: ModelPlan, serializer: ModelSerializer | undefined): ColumnSight {
  const stored = columns.filter(fillsField)
  const reported = stored.filter(({ isSensitive }) => !isSensitive)
  if (!serializer) return { shown: reported, secret: new Set() }
  const showing = serializer.model === model.table ? serializer : nestedSerializer(serializer, model.table)
  const fieldsOf = (column: ImportColumn) => (showing?.fields ?? []).filter(field => isOf(field, column))
  return {
    shown: reported.filter(column => fieldsOf(column).some(isReadable)),
    secret: new Set(
      stored.filter(column => {
        const fields = fieldsOf(column)
        if (column.list && takesSecret(column.list)) return true
        return fields.length > 0 && !fields.some(isReadable)
      }),
    ),
  }
}

/** Whether records of a list have write-only values, at any depth. */
function takesSecret({ serializer }: ManyField): boolean {
  return (serializer?.fields ?? []).some(
    field => isWritable(field) && (!isReadable(field) || (field.kind === 'many' && takesSecret(field))),
  )
}

function isOf(field: SerializerField, { column, links, list }: ImportColumn): boolean {
  return links || list
    ? field.kind === 'many' && field.key === column.key
    : field.kind === 'stored' && field.column === column
}

function nestedSerializer({ fields }: ModelSerializer, table: unknown): ModelSerializer | undefined {
  for (const field of fields.filter(isReadable)) {
    const nested =
      field.kind === 'many' ? field.serializer : field.kind === 'stored' ? field.nested?.serializer : undefined
    if (nested?.model === table) return nested
  }
  return undefined
}
