import type { ImportRow } from '../read/import-row.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'

interface Claim {
  readonly row: ImportRow
  readonly key: string
  isGivenUp: boolean
}

/** Finds rows that want the same unique value for different records, in the order of the rows. */
export class Competitors {
  readonly #sheet: ImportedSheet
  /** For each value, the first row that wants it, and the first one after each row that releases it. */
  readonly #claims = new Map<string, Claim[]>()
  readonly #latest = new Map<string, readonly Omit<Claim, 'isGivenUp'>[]>()
  /** The value of each record in each constraint, after the rows so far. */
  readonly #held = new Map<string, Claim>()

  constructor(sheet: ImportedSheet) {
    this.#sheet = sheet
  }

  /** Adds the unique values of a row. Returns earlier rows that want one of them for another record. */
  of(row: ImportRow, keys: readonly string[]): readonly ImportRow[] {
    const competitors: ImportRow[] = []
    for (const [index, model] of this.#sheet.models.entries()) {
      const key = keys[index]!
      const cells = row.cells[index]!
      for (const [which, { positions, unique }] of model.reader.otherUniques.entries()) {
        // In SQL, nulls are distinct.
        const isNull = positions.some(at => cells[at] === null || cells[at] === undefined)
        const value = isNull ? undefined : `${index} ${which} ${rowKey(model, positions, cells, unique.ignoreCase)}`
        const claims = (value !== undefined && this.#claims.get(value)) || []
        const holding = `${index} ${which} ${key}`
        const held = this.#held.get(holding)
        if (held && !claims.includes(held)) this.#giveUp(holding, held)
        if (value === undefined) continue
        for (const claim of claims) if (claim.key !== key) competitors.push(claim.row)
        const latest = (this.#latest.get(value) ?? []).filter(other => other.key !== key).slice(0, 1)
        this.#latest.set(value, [{ row, key }, ...latest])
        // The claim of its record may have failed, and another record may have claimed the value since.
        if (latest[0] && claims.some(claim => claim.key === key)) competitors.push(latest[0].row)
        if (claims.at(-1)?.isGivenUp === false) continue
        const claim: Claim = { row, key, isGivenUp: false }
        this.#claims.set(value, [...claims, claim])
        this.#held.set(holding, claim)
      }
    }
    return competitors
  }

  deletes(keys: readonly string[]): void {
    const index = keys.length - 1
    for (const which of this.#sheet.models[index]!.reader.otherUniques.keys()) {
      const holding = `${index} ${which} ${keys[index]!}`
      const held = this.#held.get(holding)
      if (held) this.#giveUp(holding, held)
    }
  }

  #giveUp(holding: string, claim: Claim): void {
    claim.isGivenUp = true
    this.#held.delete(holding)
  }
}

/** Text that is equal for rows of one record. The text of a cell contains no NUL. */
export function rowKey(
  { reader: { columns } }: SheetModel,
  positions: readonly number[],
  cells: readonly unknown[],
  ignoreCase: boolean,
): string {
  let key = ''
  for (const at of positions) {
    const { column, lookup } = columns[at]!.plan
    key += comparable(cells[at], lookup?.by ?? column, lookup ? lookup.ignoreCase : ignoreCase)
  }
  return key
}
