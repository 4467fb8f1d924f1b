import { message, type Text } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { SheetMoment } from '../tabular/read/file.ts'

export class CellProblem {
  readonly text: Text

  constructor(text: Text) {
    this.text = text
  }
}

export function asItIs(cell: unknown): unknown {
  return cell instanceof SheetMoment ? cell.text : cell
}

export function trimmed(cell: unknown): unknown {
  return typeof cell === 'string' ? cell.trim() : asItIs(cell)
}

const NUMBER_LIKE = /^[+-]?[\d.,\s']*$/

/** A comma can be a decimal point or separate thousands. Guessing wrong would change the value by a factor of 1000. */
export function withoutComma(
  text: string,
  problem: 'invalid_number.comma' | 'invalid_integer.comma' = 'invalid_number.comma',
): string | CellProblem {
  if (!text.includes(',') || !NUMBER_LIKE.test(text)) return text
  return new CellProblem(message(problem, { value: shownValue(text) }))
}

export function plainNumber(value: number): string {
  const shown = Number(value.toPrecision(15))
  const text = String(shown)
  if (!text.includes('e')) return text
  return Math.abs(shown) >= 1 ? String(BigInt(shown)) : shown.toFixed(100).replace(/0+$/, '')
}
