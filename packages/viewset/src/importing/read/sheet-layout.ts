import { ValidationError } from '../../core/errors.ts'
import type { ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import type { ColumnReader, ModelReader } from './model-reader.ts'

/** A sheet of the file and the models that each of its rows feeds, in their order. */
export interface ImportedSheet {
  /** Its position in the file. */
  readonly position: number
  readonly models: readonly SheetModel[]
  /** The positions of the cells that the models need; others are not read. */
  readonly columns: readonly number[]
}

/** A model whose records a sheet has. */
export interface SheetModel {
  readonly reader: ModelReader
  readonly columns: readonly SheetColumn[]
}

/** A column of the model and where the sheet has it. */
export interface SheetColumn extends ColumnReader {
  /** The position of its cell among the {@link ImportedSheet.columns}. */
  readonly at: number
  /** What errors call it: its header, as the configuration has it. */
  readonly field: string
  /** Its header as the file has it. */
  readonly header: string
}

/** Where the models find their sheets and columns in a file, and what is left over. */
export interface Layout {
  readonly sheets: readonly ImportedSheet[]
  readonly ignoredColumns: readonly string[]
  /** Sheets that are no model's. */
  readonly ignoredSheets: readonly string[]
}

/** Sheets that a message lists. */
const NAMED_SHEETS = 10
/** Characters of a header that a message repeats. */
const LONGEST_HEADER = 100

/**
 * Finds out which sheet and which column holds what (CONTRACT, "Import"): one sheet for each model, named by its key,
 * or a single one whose rows cover every model.
 *
 * @throws ValidationError naming the sheets or columns that are missing
 */
export function layoutOf(
  { format, sheets }: ReadFile,
  readers: readonly ModelReader[],
  aliases: HeaderAliases,
): Layout {
  const byName = new Map(sheets.map((sheet, index) => [headerKey(sheet.name), index]))
  const own = readers.map(({ plan }) => byName.get(headerKey(plan.key)))
  const missing = readers.filter((_, index) => own[index] === undefined).map(({ plan }) => plan.key)
  if (format !== 'csv' && missing.length === 0) {
    const isSeveral = readers.length > 1
    const found = readers.map((reader, index) => {
      const at = own[index] as number
      return sheetOf(sheets[at] as ReadSheet, at, [reader], false, aliases)
    })
    return {
      sheets: found.map(({ sheet }) => sheet),
      ignoredColumns: found.flatMap(({ ignored }, index) =>
        ignored.map(name => (isSeveral ? `${readers[index]?.plan.key}.${name}` : name)),
      ),
      ignoredSheets: sheets.filter((_, index) => !own.includes(index)).map(({ name }) => name),
    }
  }
  // Older programs give a new workbook three sheets, of which people fill in the first.
  const filled = sheets.flatMap(({ header }, index) => (header.length > 0 ? [index] : []))
  const [only = 0, ...others] = filled
  const sheet = sheets[only]
  if (sheet && others.length === 0) {
    const { sheet: imported, ignored } = sheetOf(sheet, only, readers, true, aliases)
    return { sheets: [imported], ignoredColumns: ignored, ignoredSheets: [] }
  }
  const names = filled.slice(0, NAMED_SHEETS).map(index => `"${sheets[index]?.name}"`)
  const found = `Its sheets are: ${names.join(', ')}${filled.length > NAMED_SHEETS ? ', ...' : ''}.`
  throw refused([...missing.map(key => `The workbook has no sheet "${key}".`), found])
}

function sheetOf(
  { header }: ReadSheet,
  position: number,
  readers: readonly ModelReader[],
  isFlat: boolean,
  aliases: HeaderAliases,
): { readonly sheet: ImportedSheet; readonly ignored: readonly string[] } {
  const positions = new Map<string, number[]>()
  for (const [at, name] of header.entries()) {
    const key = headerKey(name)
    if (key !== '') positions.set(key, [...(positions.get(key) ?? []), at])
  }
  const fieldOf = ({ plan }: ColumnReader) => (isFlat ? plan.flatHeader : plan.header)
  const fields = new Set(readers.flatMap(reader => reader.columns.map(column => headerKey(fieldOf(column)))))
  const problems = new Set<string>()
  const needed: number[] = []
  const slotOf = (at: number) => (needed.includes(at) ? needed.indexOf(at) : needed.push(at) - 1)
  const models = readers.map((reader): SheetModel => {
    const columns = reader.columns.map((column): SheetColumn => {
      const field = fieldOf(column)
      // Another name that is the proper one of another column means that one.
      const { label, paths = [] } = aliases.get(column.plan) ?? {}
      const others = [`${reader.plan.key}.${column.plan.header}`, ...(label ? [label] : []), ...paths].map(headerKey)
      const names = [headerKey(field), ...others.filter(name => !fields.has(name))]
      const found = positions.get(names.find(name => positions.has(name)) ?? '') ?? []
      const at = found[0] ?? -1
      const name = shorten(header[at] ?? field)
      const orLabel = label === undefined ? '' : `; it may also be called "${label}"`
      if (found.length === 0) problems.add(`The column "${field}" is missing${orLabel}.`)
      if (found.length > 1) problems.add(`The file has ${found.length} columns "${name}".`)
      return { ...column, at: slotOf(at), field, header: name }
    })
    return { reader, columns }
  })
  if (problems.size > 0) throw refused([...problems])
  const ignored = header.map((name, at) => name || `(column ${at + 1})`).filter((_, at) => !needed.includes(at))
  return { sheet: { position, models, columns: needed }, ignored }
}

/** A header as errors show it. It is shortened, since every error of the column has it. */
function shorten(header: string): string {
  const name = header.trim()
  return name.length > LONGEST_HEADER ? `${name.slice(0, LONGEST_HEADER).toWellFormed()}...` : name
}

/** What is wrong with the file as a whole. */
function refused(messages: readonly string[]): ValidationError {
  return new ValidationError({ file: [...messages] }, messages.join(' '))
}
