import type { Readable } from 'node:stream'
import { tabularType } from '../../exporting/cells.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import type { Cell, CellRow, TabularColumn } from '../../tabular/table.ts'
import { type Sheet, xlsxWriter } from '../../tabular/xlsx/write.ts'
import { formOf } from '../locale/locale-forms.ts'
import { headerKey, ownHeader } from '../plan/headers.ts'
import { type ImportColumn, type ImportPlan, isInFile, type ModelPlan } from '../plan/plan.ts'
import { templateNote } from './note.ts'
import type { Examples } from './source.ts'

export type TemplateFormat = 'csv' | 'xlsx'

/** A file for people to fill in, and how to send it. */
export interface Template {
  readonly contentType: string
  /** Without the dot. */
  readonly extension: string
  readonly file: Readable
}

/**
 * The formats of an import's template: those of its formats that can be written, in their order. XLS cannot; who takes
 * only that gets an XLSX to be saved as such.
 */
export function templateFormats({ formats }: ImportPlan): readonly [TemplateFormat, ...TemplateFormat[]] {
  const [first = 'xlsx', ...others] = formats.filter(format => format !== 'xls')
  return [first, ...others]
}

/** The media type of a template in a format. */
export function templateType(format: TemplateFormat): string {
  return (format === 'csv' ? csvWriter() : xlsxWriter()).contentType
}

/**
 * Writes the template of an import (SPEC, `generate_import_template`): a sheet for each model, or for CSV one flat table,
 * with the headers and an example row. It imports as it is where all that it refers to is in the file or stored.
 */
export function importTemplate(plan: ImportPlan, examples: Examples, format: TemplateFormat): Template {
  const exampleOf = (column: ImportColumn) => examples.get(column) ?? null
  if (format === 'csv') {
    const writer = csvWriter()
    const written = writtenColumns(
      plan.models.flatMap(model => model.columns),
      true,
    )
    const columns = written.map(column => tabularColumn(column, true))
    return {
      ...writer,
      file: writer.write(columns, [[written.map(column => asText(plan, column, exampleOf(column)))]]),
    }
  }
  const writer = xlsxWriter()
  return { ...writer, file: writer.writeSheets(plan.models.map(model => sheetOf(plan, model, exampleOf))) }
}

function sheetOf(plan: ImportPlan, model: ModelPlan, exampleOf: (column: ImportColumn) => Cell): Sheet {
  const written = writtenColumns(model.columns, false)
  const columns = written.map(column => ({
    ...tabularColumn(column, false),
    note: templateNote(plan, model, column),
  }))
  const row: CellRow = written.map(exampleOf)
  return { name: model.key, columns, rows: [[row]] }
}

/** An example as people write it; in CSV, cells have no types. */
function asText({ locale }: ImportPlan, { lookup, column }: ImportColumn, example: Cell): Cell {
  const form = locale && formOf(lookup?.by ?? column, locale)
  return form && example !== null ? form.write(typeof example === 'object' ? String(example) : example) : example
}

/** The columns of a sheet: what feeds several fields stands in it once. */
function writtenColumns(columns: readonly ImportColumn[], isFlat: boolean): readonly ImportColumn[] {
  const written = new Map<string, ImportColumn>()
  for (const column of columns.filter(isInFile)) {
    const key = headerKey(ownHeader(column, isFlat))
    if (!written.has(key)) written.set(key, column)
  }
  return [...written.values()]
}

function tabularColumn(planned: ImportColumn, isFlat: boolean): TabularColumn {
  const { column, lookup, links, deletes, required } = planned
  const type = links || deletes ? { kind: 'text' as const } : tabularType(lookup?.by ?? column)
  return { header: ownHeader(planned, isFlat), required, ...type }
}
