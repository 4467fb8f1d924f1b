import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { NO_RESULT, type ReadCell, SheetError } from '../file.ts'
import { momentCell } from '../found-row.ts'
import type { ReadLimits } from '../limits.ts'
import { type NumberFormat, numberCell } from '../number-format.ts'
import { RowBatches } from '../row-batches.ts'
import { SheetView } from '../sheet-view.ts'
import { attribute, cellText, decoded, type XmlHandler } from './xml.ts'

export interface SharedTexts {
  at(index: number): string | undefined
}

export interface CellContext {
  readonly texts: SharedTexts
  readonly formats: readonly NumberFormat[]
  readonly countsFrom1904: boolean
}

/** Reads a worksheet: shown values, and the last result of formulas. */
export class SheetHandler implements XmlHandler {
  wantsText = false
  readonly rows: RowBatches
  readonly view = new SheetView()
  readonly #context: CellContext
  readonly #limits: ReadLimits
  readonly #most: number
  #row = 0
  #rowCount = 0
  #cells: ReadCell[] = []
  #at: number[] = []
  #column = -1
  #type = ''
  #style = 0
  #value: string | undefined
  #inline: string | undefined
  #isInline = false
  #isFormula = false
  #isInRow = false
  #isHidden = false
  #isInCell = false
  #isPhonetic = false

  /** @param most rows that are not blank; blank ones do not count */
  constructor(context: CellContext, limits: ReadLimits, most = Number.POSITIVE_INFINITY) {
    this.#context = context
    this.#limits = limits
    this.#most = most
    this.rows = new RowBatches(limits)
  }

  get isDone(): boolean {
    return this.rows.count >= this.#most
  }

  open(name: string, tag: string): void {
    switch (name) {
      case 'c':
        if (this.#isInRow) this.#openCell(tag)
        break
      case 'is':
        this.#isInline = this.#isInCell
        if (this.#isInline) this.#inline ??= ''
        break
      case 'v':
        this.wantsText = this.#isInCell
        break
      case 'f':
        this.#isFormula = this.#isInCell
        break
      case 't':
        this.wantsText = this.#isInline && !this.#isPhonetic
        break
      case 'rPh':
        this.#isPhonetic = true
        break
      case 'row':
        this.#openRow(tag)
        break
      case 'col':
        if (isHidden(tag)) this.view.hideColumns(numberIn(tag, 'min') - 1, numberIn(tag, 'max') - 1)
        break
      case 'mergeCell':
        this.#merge(attribute(tag, 'ref') ?? '')
    }
  }

  text(text: string, isRaw: boolean): void {
    const more = isRaw ? text : decoded(text)
    const whole = ((this.#isInline ? this.#inline : this.#value) ?? '') + more
    if (this.#isInline) this.#inline = whole
    else this.#value = whole
    const { maxCellLength } = this.#limits
    if (whole.length > maxCellLength) this.#tooLarge('cell', maxCellLength)
  }

  close(name: string): void {
    switch (name) {
      case 'v':
      case 't':
        this.wantsText = false
        break
      case 'is':
        this.#isInline = false
        break
      case 'c':
        if (this.#isInCell) this.#closeCell()
        break
      case 'rPh':
        this.#isPhonetic = false
        break
      case 'row':
        this.#closeRow()
        this.#cells = []
        this.#at = []
        this.#isInRow = false
    }
  }

  #openRow(tag: string): void {
    const number = Number(attribute(tag, 'r') ?? this.#row + 1)
    const { maxRows } = this.#limits
    if (!(number <= maxRows && ++this.#rowCount <= maxRows)) {
      throw new TabularError('too_large', message('too_large.sheet_rows', { max: maxRows }))
    }
    this.#row = number
    this.#cells = []
    this.#at = []
    this.#column = -1
    this.#isInRow = !this.isDone
    this.#isHidden = isHidden(tag)
  }

  #closeRow(): void {
    const before = this.rows.count
    this.rows.add(this.#row, this.#cells, this.#at)
    if (this.rows.count > before) this.view.addRow(this.#row, this.#isHidden)
  }

  #merge(reference: string): void {
    const [first = '', last = first] = reference.split(':')
    const [firstRow, lastRow] = [rowOf(first), rowOf(last)]
    this.view.merge({ firstRow, lastRow, firstColumn: columnOf(first), lastColumn: columnOf(last) })
  }

  #openCell(tag: string): void {
    const reference = attribute(tag, 'r')
    this.#column = reference === undefined ? this.#column + 1 : columnOf(reference)
    this.#type = attribute(tag, 't') ?? ''
    this.#style = Number(attribute(tag, 's') ?? 0)
    this.#value = undefined
    this.#inline = undefined
    this.#isFormula = false
    this.#isInCell = true
  }

  #closeCell(): void {
    this.#isInCell = false
    const cell = this.#cell()
    // Cells with only a format may stand anywhere.
    if (cell === null) return
    const { maxColumns } = this.#limits
    // A row that repeats a column has too many cells as well.
    if (!(this.#column < maxColumns && this.#cells.length < maxColumns)) {
      this.#tooLarge('row_columns', maxColumns)
    }
    this.#cells.push(cell)
    this.#at.push(this.#column)
  }

  #cell(): ReadCell {
    // Some programs write both. The type of the cell decides.
    const [first, second] = this.#type === 'inlineStr' ? [this.#inline, this.#value] : [this.#value, this.#inline]
    // A text may be empty. A formula has a number as its result, if its cell has no type.
    if (this.#isFormula && this.#type === '' && first === undefined) return new SheetError(NO_RESULT)
    const value = first ?? second ?? ''
    switch (this.#type) {
      case 's':
        return this.#context.texts.at(Number(value || -1)) || null
      case 'inlineStr':
      case 'str':
        return cellText(value) || null
      case 'b':
        return value === '' ? null : value === '1' || value === 'true'
      case 'e':
        return value === '' ? null : new SheetError(value)
      case 'd':
        return value === '' ? null : momentCell(value.replace(/T00:00:00(?:\.0+)?$/, ''))
      default:
        return this.#number(value.trim())
    }
  }

  #number(value: string): ReadCell {
    if (value === '') return null
    // JavaScript reads further texts as numbers, such as `0x1F`.
    if (!NUMBER.test(value) || !Number.isFinite(Number(value))) return value
    return numberCell(value, this.#context.formats[this.#style], this.#context.countsFrom1904)
  }

  #tooLarge(what: 'cell' | 'row_columns', max: number): never {
    throw new TabularError('too_large', message(`too_large.${what}`, { row: this.#row, max }))
  }
}

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

function isHidden(tag: string): boolean {
  return tag.includes('hidden') && /^(?:1|true)$/.test(attribute(tag, 'hidden') ?? '')
}

function numberIn(tag: string, name: string): number {
  return Number(attribute(tag, name) ?? 0)
}

function rowOf(reference: string): number {
  return Number(reference.replace(/^[A-Z]+/i, '')) || 0
}

function columnOf(reference: string): number {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) & ~0x20
    if (letter < 65 || letter > 90) break
    column = column * 26 + letter - 64
  }
  return column - 1
}
