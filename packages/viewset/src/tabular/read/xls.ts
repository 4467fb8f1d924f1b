import { readFile } from 'node:fs/promises'
import { TabularError } from '../errors.ts'
import { momentCell } from './cells.ts'
import { type ReadCell, SheetError } from './file.ts'
import type { FoundRow } from './found-row.ts'
import type { ReadLimits } from './limits.ts'
import { RowBatches } from './row-batches.ts'
import type { SheetSource } from './sheet-source.ts'
import { workbookParts } from './xls-container.ts'
import { adaptRecords, cellNumber, type ErrorCells } from './xls-records.ts'

/**
 * The sheets of an XLS workbook (Excel 97 to 2003). Unlike the other formats it is read as a whole, being 65,536 rows a
 * sheet at most.
 */
export async function xlsSheets(path: string, limits: ReadLimits): Promise<SheetSource[]> {
  const { readXls } = await loadHucre()
  const bytes = await readFile(path)
  if (isEncrypted(bytes))
    throw new TabularError('encrypted', 'The workbook is protected by a password: save it without one.')
  try {
    const errors = adaptWorkbook(bytes)
    const { sheets } = await readXls(bytes)
    return sheets.map(({ name, rows }, at) => ({ name, rows: () => rowBatches(rows, errors[at] ?? new Set(), limits) }))
  } catch (error) {
    const message =
      'The workbook is damaged or older than Excel 97. Open it in a spreadsheet program and save it as XLSX.'
    throw new TabularError('unreadable', message, error)
  }
}

/** Changes the file to what hucre reads rightly; gives the error cells of each sheet. */
function adaptWorkbook(file: Buffer): readonly ErrorCells[] {
  const parts = workbookParts(file)
  const stream = Buffer.concat(parts)
  const errors = adaptRecords(stream)
  let at = 0
  for (const part of parts) at += stream.copy(part, 0, at, at + part.length)
  return errors
}

async function loadHucre() {
  try {
    return await import('hucre/xlsx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const message = 'XLS files need a package that is not installed: npm install hucre'
    throw new TabularError('missing_package', message, error)
  }
}

async function* rowBatches(
  rows: readonly (readonly unknown[] | undefined)[],
  errors: ErrorCells,
  limits: ReadLimits,
): AsyncGenerator<FoundRow[]> {
  const batches = new RowBatches(limits)
  for (const [index, values = []] of rows.entries()) {
    const cells = values.slice(0, values.findLastIndex(isFilled) + 1).map((value, column) => {
      const isError = typeof value === 'string' && errors.has(cellNumber(index, column))
      return isError ? new SheetError(value) : xlsCell(value)
    })
    batches.add(index + 1, cells)
    yield* batches.takeFull()
  }
  yield* batches.takeAll()
}

function isFilled(value: unknown): boolean {
  return xlsCell(value) !== null
}

function xlsCell(value: unknown): ReadCell {
  if (value instanceof Date) return momentOf(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' && value !== '' ? value : null
}

function momentOf(date: Date): ReadCell {
  const [day, clock = ''] = date.toISOString().split(/T|Z/)
  const time = clock.replace('.000', '')
  // The day before the first: a time without a day.
  if (day === '1899-12-31') return time
  return momentCell(time === '00:00:00' ? day! : `${day}T${time}`)
}

/** The first record of a workbook of this version, and the one that follows it when there is a password. */
const BEGIN = Buffer.from([0x09, 0x08, 0x10, 0x00, 0x00, 0x06, 0x05, 0x00])
const BEGIN_LENGTH = 20
const WRITE_PROTECT = 0x86
const FILE_PASS = 0x2f

function isEncrypted(bytes: Buffer): boolean {
  const begin = bytes.indexOf(BEGIN)
  if (begin === -1 || begin + BEGIN_LENGTH + 8 > bytes.length) return false
  const next = begin + BEGIN_LENGTH
  const record = bytes.readUInt16LE(next)
  return record === FILE_PASS || (record === WRITE_PROTECT && bytes.readUInt16LE(next + 4) === FILE_PASS)
}
