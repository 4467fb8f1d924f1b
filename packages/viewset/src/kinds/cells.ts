import { type Message, message, type Text } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { SheetMoment } from '../tabular/read/file.ts'
import { withoutCurrency } from './currency.ts'

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
  if (!text.includes(',') || !NUMBER_LIKE.test(withoutCurrency(text))) return text
  return new CellProblem(message(problem, { value: shownValue(text) }))
}

/**
 * A number without the noise of arithmetic: 0.30000000000000004 is 0.3. Doubles hold 15 digits, and often one more. Whole
 * numbers have no noise.
 */
export function withoutNoise(cell: unknown): unknown {
  if (typeof cell !== 'number' || Number.isInteger(cell)) return cell
  const rounded = Number(cell.toPrecision(15))
  return cell.toExponential().length - rounded.toExponential().length > 1 ? rounded : cell
}

/** The digits of a number. Beyond 2^53, a double has others than the ones that were entered. */
export function numberText(value: number): string | CellProblem {
  const shown = withoutNoise(value) as number
  if (Math.abs(shown) > Number.MAX_SAFE_INTEGER) return new CellProblem(lostDigits(shown))
  const text = String(shown)
  return text.includes('e') ? shown.toFixed(100).replace(/0+$/, '') : text
}

export function lostDigits(value: number): Message {
  return message('invalid_number.digits', { value: String(value) })
}
