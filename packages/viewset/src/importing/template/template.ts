import type { Readable } from 'node:stream'
import { message } from '../../core/messages/message.ts'
import { inBuiltInLanguages } from '../../core/messages/wording.ts'
import { shorten } from '../../core/text.ts'
import { tabularType } from '../../exporting/cells.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { formOf } from '../../kinds/locale/locale-forms.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { namesInWords } from '../../model/no-such-record.ts'
import { namedColumns } from '../../model/unnamed-columns.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import type { Cell, CellRow, TabularColumn } from '../../tabular/table.ts'
import { isListsSheet } from '../../tabular/xlsx/choice-lists.ts'
import { type Sheet, xlsxWriter } from '../../tabular/xlsx/write.ts'
import { isEditGuide } from '../edit/edit-guide.ts'
import { headerKey, ownHeader } from '../plan/headers.ts'
import { type ImportColumn, type ImportLookup, type ImportPlan, isInFile, type ModelPlan } from '../plan/plan.ts'
import type { Choices, TemplateExamples } from './source.ts'

export type TemplateFormat = 'csv' | 'xlsx'

export interface Template {
  readonly contentType: string
  readonly extension: string
  readonly file: Readable
}

/**
 * The template's formats: the import's formats that can be written. If only XLS is accepted, the template is XLSX, to
 * be saved as XLS.
 */
export function templateFormats({ formats }: ImportPlan): readonly [TemplateFormat, ...TemplateFormat[]] {
  const [first = 'xlsx', ...others] = formats.filter(format => format !== 'xls')
  return [first, ...others]
}

export function templateType(format: TemplateFormat): string {
  return (format === 'csv' ? csvWriter() : xlsxWriter()).contentType
}

/**
 * Writes the template of an import, with the headers and an example row. A workbook has a sheet for each model and one
 * that says how to fill them in. An import skips the example row of a workbook as long as it is unchanged. CSV is a flat
 * table, whose example is a row like others.
 */
export function importTemplate(
  plan: ImportPlan,
  { examples, choices = new Map() }: { readonly examples: TemplateExamples; readonly choices?: Choices | undefined },
  format: TemplateFormat,
): Template {
  const exampleOf = (column: ImportColumn) => examples.cells.get(column) ?? null
  if (format === 'csv') {
    const writer = csvWriter()
    const written = writtenColumns(
      plan.models.flatMap(model => model.columns),
      true,
    )
    const columns = written.map(column => tabularColumn(column, true, undefined))
    return {
      ...writer,
      file: writer.write(columns, [[written.map(column => asText(plan, column, exampleOf(column)))]]),
    }
  }
  const writer = xlsxWriter()
  const noteOf = (model: ModelPlan, column: ImportColumn) => {
    const [choice] = choices.get(column) ?? []
    return templateNote(plan, model, column, examples.real.has(column) ? exampleOf(column) : choice)
  }
  const content = { exampleOf, choices, noteOf }
  const sheets = [...plan.models.map(model => sheetOf(model, content)), guideOf(plan, content)]
  return { ...writer, file: writer.writeSheets(sheets) }
}

interface TemplateContent {
  readonly exampleOf: (column: ImportColumn) => Cell
  readonly choices: Choices
  readonly noteOf: (model: ModelPlan, column: ImportColumn) => string
}

/** The sheet that says how to fill in the others. An import ignores it. */
function guideOf(plan: ImportPlan, { exampleOf, choices, noteOf }: TemplateContent): Sheet {
  const rows = plan.models.flatMap(model =>
    writtenColumns(model.columns, false).map(column => {
      const example = exampleOf(column)
      return [
        model.key,
        ownHeader(column, false),
        noteOf(model, column),
        example === null ? null : String(example),
        shownChoices(choicesFor(column, choices.get(column)) ?? []),
      ]
    }),
  )
  const heading = (name: 'sheet' | 'column' | 'rule' | 'example' | 'choices', width: number): TabularColumn => {
    return { header: String(message(`template.guide_${name}`)), kind: 'text', width }
  }
  const columns = [heading('sheet', 20), heading('column', 25), heading('rule', 70), heading('example', 30)]
  return { name: String(message('template.guide')), columns: [...columns, heading('choices', 50)], rows: [rows] }
}

/** Most choices that the guide lists. */
const MOST_SHOWN = 50

function shownChoices(choices: readonly string[]): string | null {
  const shown = choices.slice(0, MOST_SHOWN).join(', ')
  const more = choices.length - MOST_SHOWN
  if (more > 0) return String(message('template.more_choices', { choices: shown, more }))
  return shown === '' ? null : shown
}

const GUIDE_NAMES = inBuiltInLanguages('template.guide')

/** The positions of the sheet, the column and its example in the guide. */
export const EXAMPLE_OF_GUIDE = [0, 1, 3] as const

/** Whether a sheet is the guide of a template, in any language. */
export function isGuideSheet({ name }: { readonly name: string }): boolean {
  return GUIDE_NAMES.has(name) || name === String(message('template.guide'))
}

/** Whether a sheet only helps to fill in others: a guide, or the lists to choose from. */
export function isGuide(sheet: { readonly name: string; readonly isHidden?: boolean }): boolean {
  return isGuideSheet(sheet) || isEditGuide(sheet) || isListsSheet(sheet)
}

function sheetOf(model: ModelPlan, { exampleOf, choices, noteOf }: TemplateContent): Sheet {
  const written = writtenColumns(model.columns, false)
  const columns = written.map(column => ({
    ...tabularColumn(column, false, choices.get(column)),
    note: noteOf(model, column),
  }))
  const row: CellRow = written.map(exampleOf)
  const notes = [{ row: 2, column: 0, text: String(message('template.example_row')) }]
  return { name: model.key, columns, rows: [[row]], notes }
}

/** CSV cells have no types, so an example has the form of the locale. */
function asText({ locale }: ImportPlan, { lookup, column }: ImportColumn, example: Cell): Cell {
  const form = locale && formOf(lookup?.by ?? column, locale)
  return form && example !== null ? form.write(typeof example === 'object' ? String(example) : example) : example
}

/** The columns of a sheet. A column that feeds several fields appears once. */
function writtenColumns(columns: readonly ImportColumn[], isFlat: boolean): readonly ImportColumn[] {
  const written = new Map<string, ImportColumn>()
  // A template is for new records, which have no version yet.
  for (const column of columns.filter(column => isInFile(column) && !column.isVersion)) {
    const key = headerKey(ownHeader(column, isFlat))
    if (!written.has(key)) written.set(key, column)
  }
  return [...written.values()]
}

function tabularColumn(planned: ImportColumn, isFlat: boolean, related: readonly string[] | undefined): TabularColumn {
  const { column, lookup, links, deletes, required } = planned
  const type = links || deletes ? { kind: 'text' as const } : tabularType(lookup?.by ?? column)
  const choices = choicesFor(planned, related)
  return { header: ownHeader(planned, isFlat), required, ...type, ...(choices && { choices }) }
}

function choicesFor(
  { column, lookup, links, deletes }: ImportColumn,
  related: readonly string[] | undefined,
): readonly string[] | undefined {
  const { kind, values } = lookup?.by ?? column
  return related ?? (kind === 'enumeration' && !links && !deletes ? values : undefined)
}

/** @param example a value of people, such as the first choice of a list */
export function templateNote(
  plan: ImportPlan,
  model: ModelPlan,
  column: ImportColumn,
  example: Cell | undefined = undefined,
): string {
  const { deletes, list } = column
  if (deletes) return `${message('template.optional')}\n${message('template.deletes', { words: [...deletes] })}`
  return [
    message(column.required ? 'template.required' : column.takesBlank ? 'template.takes_blank' : 'template.optional'),
    list ? message('template.records') : valueNote(plan, model, column, example ?? undefined),
    ...(isFirstOfKey(model, column) ? [uniqueNote(model)] : []),
  ].join('\n')
}

/** The note on a key of several columns stands on the first of them. */
function isFirstOfKey({ columns, unique }: ModelPlan, column: ImportColumn): boolean {
  const isOfKey = unique.columns.includes(column.column)
  return isOfKey && column === writtenColumns(columns, false).find(other => unique.columns.includes(other.column))
}

function valueNote(plan: ImportPlan, model: ModelPlan, column: ImportColumn, example: Cell | undefined): string {
  const { lookup, links, column: stored } = column
  const by = lookup?.by ?? stored
  const kind = kindNote(plan, by)
  // The form of a number or a date says more than its name.
  const isNamed = lookup !== null || (example !== undefined && stored.kind === 'text')
  if (!isNamed) return kind
  const shown = example === undefined ? undefined : shorten(String(asText(plan, column, example))).replace(/\.$/, '')
  const names = namesInWords(lookup?.model ?? model.model, by)
  const name = message('template.value', { ...names, example: shown })
  if (!lookup) return `${name} ${kind}`
  const several = links ? [message('template.several', { separator: links.separator })] : []
  return [name, ...(shown === undefined ? [kind] : []), placeNote(plan, model, lookup), ...several].join(' ')
}

/** Where the record is to which a cell refers. */
function placeNote({ models }: ImportPlan, model: ModelPlan, lookup: ImportLookup): string {
  const sheet = models.find(candidate => candidate.model.table === lookup.model.table)
  if (sheet === undefined) return String(message('template.stored'))
  return String(
    sheet === model ? message('template.stored_or_above') : message('template.of_sheet', { sheet: sheet.key }),
  )
}

function kindNote({ locale }: ImportPlan, column: ColumnInfo): string {
  const form = locale && formOf(column, locale)
  return [kindOf(column).note(column), ...(form?.note ? [form.note] : [])].join(' ')
}

function uniqueNote({ unique, columns, policy }: ModelPlan): string {
  const headers = namedColumns(unique.columns).map(column => {
    const planned = columns.find(candidate => candidate.column === column)
    return planned ? ownHeader(planned, false) : column.wire
  })
  return String(message(`template.${policy.onExisting}_${policy.onMissing}`, { fields: headers.join(', ') }))
}
