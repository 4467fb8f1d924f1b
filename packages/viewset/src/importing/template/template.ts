import type { Readable } from 'node:stream'
import { tabularType } from '../../exporting/cells.ts'
import { csvWriter } from '../../tabular/csv/write.ts'
import type { Cell, CellRow, TabularColumn } from '../../tabular/table.ts'
import { type Sheet, xlsxWriter } from '../../tabular/xlsx/write.ts'
import { headerKey } from '../plan/headers.ts'
import type { ImportColumn, ImportPlan, ModelPlan } from '../plan/plan.ts'
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
    const columns = flatColumns(plan)
    return { ...writer, file: writer.write(columns.map(tabularColumn), [[columns.map(exampleOf)]]) }
  }
  const writer = xlsxWriter()
  return { ...writer, file: writer.writeSheets(plan.models.map(model => sheetOf(plan, model, exampleOf))) }
}

function sheetOf(plan: ImportPlan, model: ModelPlan, exampleOf: (column: ImportColumn) => Cell): Sheet {
  const columns = model.columns.map(column => ({
    ...tabularColumn(column),
    header: column.header,
    note: templateNote(plan, model, column),
  }))
  const row: CellRow = model.columns.map(exampleOf)
  return { name: model.key, columns, rows: [[row]] }
}

/** The columns of a flat file: those that mean the same for several models stand in it once. */
function flatColumns({ models }: ImportPlan): readonly ImportColumn[] {
  const columns = new Map<string, ImportColumn>()
  for (const column of models.flatMap(model => model.columns)) {
    const key = headerKey(column.flatHeader)
    if (!columns.has(key)) columns.set(key, column)
  }
  return [...columns.values()]
}

function tabularColumn({ flatHeader, column, lookup, required }: ImportColumn): TabularColumn {
  return { header: flatHeader, required, ...tabularType(lookup?.by ?? column) }
}
