import type { ColumnInfo, Unique } from '../../model/model-info.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write.ts'
import { storedRecords } from './stored-records.ts'
import { comparable, type Unit } from './units.ts'

/** A unit that cannot have a unique value, since another record has it. */
export interface Refusal {
  readonly unit: Unit
  readonly unique: Unique
  /** The unit that would have given the value up, had it not been refused itself. */
  readonly because: Unit | undefined
}

/** Units sorted by what becomes of the unique values that they claim. */
export interface SortedUnits {
  /** They claim what nobody has: one statement can store them, in any order. */
  readonly free: readonly Unit[]
  /** What they claim depends on units before them, so they are looked at again once those are stored. */
  readonly waiting: readonly Unit[]
  readonly refused: readonly Refusal[]
}

/** A unit with what will be written of it: a record keeps its fixed values. */
type Claimant = Pick<Unit, 'key' | 'values'>

/** What a unit says of the columns of one constraint. */
interface Claim {
  /** Its values, where it claims any: nulls are never the same. */
  readonly tuple: readonly unknown[] | undefined
  /** The same as text that is equal for equal values. */
  readonly identity: string | undefined
  readonly isTouched: boolean
  /** The other records that have these values, by their keys. */
  readonly holders: string[]
}

/**
 * Whether the database alone would not tell right: two records may exchange a value, which one statement does in an
 * order of its own, and SQLite's indexes know the case of ASCII letters only.
 */
export function mustBeSorted(uniques: readonly Unique[], units: readonly Unit[]): boolean {
  if (uniques.length === 0) return false
  if (units.filter(({ key }) => key !== undefined).length > 1) return true
  const folded = uniques.filter(({ ignoreCase }) => ignoreCase).flatMap(({ columns }) => columns)
  return units.some(({ values }) => folded.some(({ key }) => /[^\0-\x7f]/.test(String(values[key] ?? ''))))
}

/**
 * Finds out which units can have the unique values that they claim, as if each was written after those before it: one
 * statement for each constraint, however many units there are.
 */
export async function sortUnits(
  rows: QuerySet,
  uniques: readonly Unique[],
  units: readonly Unit[],
  fixedValues: Values,
): Promise<SortedUnits> {
  const claimants = units.map(({ key, values }): Claimant => {
    return { key, values: key === undefined ? values : withoutFixed(values, fixedValues) }
  })
  const records = await recordsToComplete(rows, uniques, claimants)
  const all = await Promise.all(uniques.map(unique => claimsOf(rows, unique, claimants, records)))
  const positions = new Map(units.flatMap(({ key }, at) => (key === undefined ? [] : [[String(key), at] as const])))
  const claimed = uniques.map(() => new Set<string>())
  const outcomes: ('free' | 'waiting' | 'refused')[] = []
  const refused: Refusal[] = []
  for (const [at, unit] of units.entries()) {
    let outcome: 'free' | 'waiting' = 'free'
    let refusal: Refusal | undefined
    for (const [which, unique] of uniques.entries()) {
      const { identity, holders } = all[which]![at]!
      if (identity === undefined || refusal) continue
      for (const holder of holders) {
        const position = positions.get(holder) ?? Number.POSITIVE_INFINITY
        const isBefore = position < at
        const isGivenUp = isBefore && all[which]![position]!.isTouched && all[which]![position]!.identity !== identity
        if (isGivenUp && outcomes[position] !== 'refused') outcome = 'waiting'
        else refusal = { unit, unique, because: isGivenUp ? units[position] : undefined }
      }
      if (claimed[which]!.has(identity)) outcome = 'waiting'
    }
    outcomes.push(refusal ? 'refused' : outcome)
    if (refusal) refused.push(refusal)
    else for (const [which, { [at]: claim }] of all.entries()) if (claim?.identity) claimed[which]!.add(claim.identity)
  }
  const having = (wanted: 'free' | 'waiting') => units.filter((_, at) => outcomes[at] === wanted)
  return { free: having('free'), waiting: having('waiting'), refused }
}

async function claimsOf(
  rows: QuerySet,
  { columns, ignoreCase }: Unique,
  units: readonly Claimant[],
  records: ReadonlyMap<string, Values>,
): Promise<readonly Claim[]> {
  const claims = units.map((unit): Claim => {
    const isTouched = columns.some(({ key }) => unit.values[key] !== undefined)
    const tuple = columns.map(column => columnValue(unit, column, records))
    const claimsAny = isTouched && tuple.every(value => value !== null && value !== undefined)
    if (!claimsAny) return { tuple: undefined, identity: undefined, isTouched, holders: [] }
    const identity = tuple.map((value, index) => comparable(value, columns[index]!, ignoreCase)).join('')
    return { tuple, identity, isTouched, holders: [] }
  })
  const asked = claims.flatMap(({ tuple }, at) => (tuple ? [{ tuple, at }] : []))
  const tuples = asked.map(({ tuple }) => tuple)
  for (const { position, key } of await rows.matches(columns, tuples, ignoreCase)) {
    const { at } = asked[position]!
    if (String(key) !== String(units[at]!.key)) claims[at]!.holders.push(String(key))
  }
  return claims
}

/** What a record will have in a column: what the unit says, else what is stored of it or the default of a new one. */
function columnValue({ values, key }: Claimant, column: ColumnInfo, records: ReadonlyMap<string, Values>): unknown {
  const given = values[column.key]
  if (given !== undefined) return given
  if (key !== undefined) return records.get(String(key))?.[column.key]
  // A default that is made anew for each record is not known yet; the database has the last word on it.
  return column.column.defaultFn ? undefined : column.createValue?.()
}

/** The stored records of units that say only a part of what is unique together. */
async function recordsToComplete(
  rows: QuerySet,
  uniques: readonly Unique[],
  units: readonly Claimant[],
): Promise<ReadonlyMap<string, Values>> {
  const isPartial = ({ values }: Claimant) =>
    uniques.some(({ columns }) => {
      const given = columns.filter(({ key }) => values[key] !== undefined).length
      return given > 0 && given < columns.length
    })
  return storedRecords(
    rows,
    units.flatMap(unit => (unit.key !== undefined && isPartial(unit) ? [unit.key] : [])),
  )
}
