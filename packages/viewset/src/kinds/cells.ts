import { SheetMoment } from '../tabular/read/file.ts'

/** Why a cell is not acceptable. */
export class CellProblem {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

/** A cell as JSON would have it, where its type says nothing more. */
export function asItIs(cell: unknown): unknown {
  return cell instanceof SheetMoment ? cell.text : cell
}

export function trimmed(cell: unknown): unknown {
  return typeof cell === 'string' ? cell.trim() : asItIs(cell)
}

const NUMBER_LIKE = /^[+-]?[\d.,\s']*$/

/** Whether a comma is a point or separates thousands depends on who wrote it: a guess could be wrong by a thousand. */
export function withoutComma(text: string): string | CellProblem {
  if (!text.includes(',') || !NUMBER_LIKE.test(text)) return text
  return new CellProblem('A valid number is required: with a point and without thousands separators, such as 1234.5.')
}

/** A number with the 15 digits that a sheet shows, since 0.1 + 0.2 is 0.3 to whoever looks at it; never as `1e+21`. */
export function plainNumber(value: number): string {
  const shown = Number(value.toPrecision(15))
  const text = String(shown)
  if (!text.includes('e')) return text
  return Math.abs(shown) >= 1 ? String(BigInt(shown)) : shown.toFixed(100).replace(/0+$/, '')
}
