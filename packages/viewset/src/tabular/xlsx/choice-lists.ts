import { fitCell } from '../writer.ts'
import { columnLetters, textCell, xmlText } from './cells.ts'
import { DECLARATION } from './parts.ts'
import { STYLE } from './styles.ts'

/** Excel takes a list in a rule of this length, with commas between the values. */
const LONGEST_INLINE = 255

const LISTS_SHEET = '_lists'

/** Whether a sheet only has the values of drop-down lists. */
export function isListsSheet({
  name,
  isHidden = false,
}: {
  readonly name: string
  readonly isHidden?: boolean
}): boolean {
  return isHidden && name.startsWith(LISTS_SHEET)
}

/**
 * The drop-down lists of a workbook. A list that a rule cannot hold goes to a hidden sheet: one that is long, or whose
 * values have commas, quotes or blanks around them.
 */
export class ChoiceLists {
  readonly #nameFor: (wanted: string) => string
  readonly #columns = new Map<string, readonly string[]>()
  #sheet: string | undefined

  constructor(nameFor: (wanted: string) => string) {
    this.#nameFor = nameFor
  }

  /** The name of the hidden sheet, if a list needs it. */
  get sheet(): string | undefined {
    return this.#sheet
  }

  /** The source of a list for a rule; `undefined` for a list without values. */
  sourceOf(choices: readonly string[]): string | undefined {
    const values = choices.filter(choice => choice !== '')
    if (values.length === 0) return undefined
    const inline = values.join(',')
    if (inline.length <= LONGEST_INLINE && values.every(isInline)) return `"${xmlText(inline)}"`
    this.#sheet ??= this.#nameFor(LISTS_SHEET)
    const key = JSON.stringify(values)
    this.#columns.set(key, values)
    const letters = columnLetters([...this.#columns.keys()].indexOf(key))
    return xmlText(`'${this.#sheet}'!$${letters}$1:$${letters}$${values.length}`)
  }

  sheetXml(): string {
    const lists = [...this.#columns.values()]
    const longest = lists.reduce((most, { length }) => Math.max(most, length), 0)
    const rows = Array.from({ length: longest }, (_, row) => {
      const cells = lists.map((values, column) => {
        const value = values[row]
        const reference = `${columnLetters(column)}${row + 1}`
        return value === undefined
          ? ''
          : textCell(
              fitCell(value, () => {}),
              reference,
              STYLE.text,
            )
      })
      return `<row r="${row + 1}">${cells.join('')}</row>`
    })
    return (
      `${DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
      `<sheetData>${rows.join('')}</sheetData></worksheet>`
    )
  }
}

function isInline(value: string): boolean {
  return !/[,"\p{Cc}]/u.test(value) && value.trim() === value
}
