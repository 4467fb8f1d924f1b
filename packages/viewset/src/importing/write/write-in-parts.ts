import type { QuerySet } from '../../store/queryset.ts'
import { mustBeSorted, type Refusal, sortUnits } from './claims.ts'
import type { Unit } from './units.ts'
import { type UnitWriter, writeAtOnce, writeUnits } from './write-units.ts'

/** Times that units are sorted and written together before they are written one by one. */
const ROUNDS = 6

/**
 * Writes units that claim unique values, in as many parts as it takes for the outcome to be that of row after row. A
 * value that is taken is found set-wise, before the database refuses it row by row.
 *
 * @param rows all records of the model
 */
export async function writeInParts(writer: UnitWriter, rows: QuerySet, units: readonly Unit[]): Promise<void> {
  if (units.length === 0) return
  const uniques = writer.model.reader.claims.map(({ unique }) => unique)
  if (!mustBeSorted(uniques, units) && (await writeAtOnce(writer, units))) return
  const { fixedValues = {} } = writer.hooks
  let left = units
  for (let round = 1; left.length > 0; round++) {
    // Where each part needs the one before, as in a long chain of records that pass a value on, they go one by one.
    const isSetWise = round <= ROUNDS
    const asked = isSetWise ? left : left.slice(0, 1)
    const { free, waiting, refused } = await sortUnits(rows, uniques, asked, fixedValues)
    const changed = isSetWise ? await afterOthers(writer, refused, left) : undefined
    if (changed) {
      left = changed
      continue
    }
    for (const refusal of refused) writer.refuse(refusal)
    await writeUnits(writer, free)
    left = [...waiting, ...left.slice(asked.length)]
  }
}

/**
 * What is left to write if somebody else has stored records since they were looked for: the record that has a value may
 * be the one that the row is about. `undefined` if nobody has.
 */
async function afterOthers(
  writer: UnitWriter,
  refused: readonly Refusal[],
  left: readonly Unit[],
): Promise<readonly Unit[] | undefined> {
  const units = refused.map(({ unit }) => unit)
  const before = units.map(({ key }) => String(key))
  const matched = new Set(await writer.match(units))
  const isStale = units.some((unit, index) => !matched.has(unit) || String(unit.key) !== before[index])
  return isStale ? left.filter(unit => matched.has(unit) || !units.includes(unit)) : undefined
}
