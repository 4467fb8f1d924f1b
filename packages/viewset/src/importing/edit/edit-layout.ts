import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { HeaderRow, ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import { isListsSheet } from '../../tabular/xlsx/choice-lists.ts'
import { errorsColumnAt } from '../failed/failed-rows.ts'
import { headerKey } from '../plan/headers.ts'
import { isComputed } from '../plan/plan.ts'
import type { ModelReader } from '../read/model-reader.ts'
import { type ImportedSheet, type Layout, type SheetColumn, shortHeader } from '../read/sheet-layout.ts'
import type { EditBase } from './base-sheet.ts'
import type { EditPlan } from './edit-plan.ts'

/** Where an edited file has its cells. */
export interface EditLayout extends Layout {
  readonly changing: ImportedSheet
  readonly creating: ImportedSheet
  /** The positions of the base's fields among the cells that are read. */
  readonly at: ReadonlyMap<string, number>
  /** The positions of the cells for reading only, in the order of the base. */
  readonly others: readonly (number | undefined)[]
  /** The headers of exported columns that the file has no longer. */
  readonly missing: readonly string[]
  /** The positions in the file of columns that people have added. */
  readonly added: readonly number[]
  /** The file with the header of the edited sheet. */
  readonly file: ReadFile
}

/** @throws ValidationError for a file without the column of the keys, and for a renamed header */
export function editLayout(file: ReadFile, { plan, changing, creating }: EditPlan, base: EditBase): EditLayout {
  const position = positionOf(file, base)
  const sheet = file.sheets[position]
  const header = sheet && headerOf(sheet, base.id)
  if (!sheet || !header) throw new ValidationError({ file: [message('invalid_edit_file.no_ids', { column: base.id })] })
  const positions = positionsOf(header.texts)
  const marks = base.mark === undefined ? [] : [base.mark]
  const names = [base.id, ...marks, ...base.headers.values()]
  const repeated = names.find(name => (positions.get(headerKey(name))?.length ?? 0) > 1)
  if (repeated !== undefined) {
    const count = positions.get(headerKey(repeated))?.length ?? 0
    throw new ValidationError({ file: [message('repeated_column', { count, column: shortHeader(repeated) })] })
  }
  const atOf = (name: string | undefined) => (name === undefined ? undefined : positions.get(headerKey(name))?.[0])
  const known = new Set([...names, ...base.others].map(headerKey))
  const errorsAt = errorsColumnAt(header.texts)
  const isAdded = (text: string, at: number) => text !== '' && !known.has(headerKey(text)) && at !== errorsAt
  const ignored = header.texts.filter(isAdded)
  const missing = [...marks, ...base.headers.values()].filter(name => atOf(name) === undefined)
  if (missing.length > 0 && ignored.length > 0) {
    const columns = ignored.map(shortHeader)
    throw new ValidationError({
      file: [message('invalid_edit_file.renamed', { columns, others: missing.map(shortHeader) })],
    })
  }
  const isOpen = plan.prepareRow !== undefined || creating.columns.some(({ plan: column }) => isComputed(column))
  const read = isOpen
    ? [...header.texts.keys()]
    : [...new Set([...names, ...base.others].flatMap(name => atOf(name) ?? []))]
  const sheetOf = (reader: ModelReader): ImportedSheet => ({
    position,
    name: sheet.name,
    models: [{ reader, columns: reader.columns.map(column => place(column)) }],
    columns: read,
    headers: read.map(at => header.texts[at] ?? ''),
    // Files for editing have no sensitive columns.
    sensitive: new Set(),
    headerTexts: read.map(at => header.texts[at] ?? ''),
    isOpen,
  })
  const place = (column: ModelReader['columns'][number]): SheetColumn => {
    const name = nameOf(column)
    const at = column.plan.appValue ? undefined : atOf(name)
    return {
      ...column,
      at: at === undefined ? undefined : read.indexOf(at),
      field: column.plan.header,
      header: at === undefined || name === undefined ? undefined : shortHeader(name),
      names: [],
      isNeeded: column.plan.required,
      isSensitive: column.plan.isSensitive === true,
    }
  }
  const nameOf = (column: ModelReader['columns'][number]) => {
    if (column === changing.columns[0]) return base.id
    return column.plan.deletes ? base.mark : base.headers.get(column.plan.header)
  }
  const at = [...base.headers].flatMap(([field, name]): [string, number][] => {
    const found = atOf(name)
    return found === undefined ? [] : [[field, read.indexOf(found)]]
  })
  const changes = sheetOf(changing)
  const edited = { ...sheet, header: header.texts, headerRow: header.row, rows: rowsBelow(sheet, header) }
  return {
    file: { ...file, sheets: file.sheets.with(position, edited) },
    changing: changes,
    creating: sheetOf(creating),
    at: new Map(at),
    sheets: [changes],
    missing: [...base.headers.values()].filter(name => atOf(name) === undefined),
    added: [...header.texts.keys()].filter(at => isAdded(header.texts[at] ?? '', at)),
    others: base.others.map(name => {
      const at = atOf(name)
      return at === undefined ? undefined : read.indexOf(at)
    }),
    ignoredColumns: ignored,
    ignoredSheets: file.sheets.flatMap((other, at) =>
      at === position || other.header.length === 0 || isListsSheet(other) ? [] : [other.name],
    ),
  }
}

/** @throws ValidationError for several sheets with the keys, of which any may be the edited one */
function positionOf({ sheets }: ReadFile, { id }: EditBase): number {
  const found = sheets.flatMap((sheet, at) => (headerOf(sheet, id) ? [at] : []))
  if (found.length < 2) return found[0] ?? -1
  const names = found.map(at => sheets[at]?.name ?? '')
  throw new ValidationError({ file: [message('invalid_edit_file.two_sheets', { names })] })
}

function headerOf({ top }: ReadSheet, id: string): HeaderRow | undefined {
  return top.find(({ texts }) => texts.some(text => headerKey(text) === headerKey(id)))
}

function rowsBelow(sheet: ReadSheet, header: HeaderRow): ReadSheet['rows'] {
  return columns => sheet.rows(columns, header)
}

function positionsOf(texts: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(texts.keys(), at => headerKey(texts[at] ?? ''))
}

/** The columns of new rows whose values are fixed. */
export function fixedOf({ creating }: EditLayout, fixed: ReadonlySet<SheetColumn>): ReadonlySet<SheetColumn> {
  const plans = new Set([...fixed].map(({ plan }) => plan))
  return new Set(creating.models.flatMap(({ columns }) => columns.filter(({ plan }) => plans.has(plan))))
}
