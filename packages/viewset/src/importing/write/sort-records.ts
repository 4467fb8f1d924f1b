import type { Unique } from '../../model/model-info.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportRecord } from './import-record.ts'
import { uniqueValues, type Written } from './unique-values.ts'

/** A record that cannot have a unique value, since another one has it. */
export interface Refusal {
  readonly record: ImportRecord
  readonly unique: Unique
  /** The key of the stored record that has the value. */
  readonly holder: string
  /** The record that would have given the value up, had it not been refused itself. */
  readonly because: ImportRecord | undefined
}

/** Records sorted by what becomes of the unique values that they want. */
export interface SortedRecords {
  /** They want what nobody has: one statement can store them, in any order. */
  readonly free: readonly ImportRecord[]
  /** Records before them have what they want, so they are looked at again once those are stored. */
  readonly waiting: readonly ImportRecord[]
  readonly refused: readonly Refusal[]
  /** Records that give a unique value up, and those that wait for it. */
  readonly passing: readonly (readonly [holder: ImportRecord, taker: ImportRecord])[]
  /** Records that want a value which a later record holds. A condition of the database decides whether it is taken. */
  readonly contested: readonly (readonly [record: ImportRecord, holder: ImportRecord])[]
}

/** What is unique among the records of a model. */
export interface Uniques {
  readonly uniques: readonly Unique[]
  /** Under a condition that only the database can decide: such a record waits for those before it, and is never refused. */
  readonly conditional: readonly Unique[]
}

/**
 * Whether the database alone would not tell right: two records may exchange a value, which one statement does in an
 * order of its own, and SQLite's indexes know the case of ASCII letters only.
 */
export function mustBeSorted({ uniques, conditional }: Uniques, records: readonly ImportRecord[]): boolean {
  if (uniques.length + conditional.length === 0) return false
  if (records.filter(({ key }) => key !== undefined).length > 1) return true
  const folded = uniques.filter(({ ignoreCase }) => ignoreCase).flatMap(({ columns }) => columns)
  return records.some(({ values }) => folded.some(({ key }) => /[^\0-\x7f]/.test(String(values[key] ?? ''))))
}

/** Finds out which records can have the unique values that they want, as if each was written after those before it. */
export async function sortRecords(
  rows: QuerySet,
  { uniques, conditional }: Uniques,
  records: readonly ImportRecord[],
  fixedValues: Values,
): Promise<SortedRecords> {
  const written = records.map(({ key, values }): Written => {
    return { key, values: key === undefined ? values : withoutFixed(values, fixedValues) }
  })
  const all = await uniqueValues(rows, uniques, written)
  const perhaps = await uniqueValues(rows, conditional, written)
  const positions = new Map(records.flatMap(({ key }, at) => (key === undefined ? [] : [[String(key), at] as const])))
  const given = uniques.map(() => new Set<string>())
  const perhapsGiven = conditional.map(() => new Set<string>())
  const behind = new Set<number>()
  const outcomes: ('free' | 'waiting' | 'refused')[] = []
  const refused: Refusal[] = []
  const passing: [ImportRecord, ImportRecord][] = []
  const contested: [ImportRecord, ImportRecord][] = []
  for (const [at, record] of records.entries()) {
    let outcome: 'free' | 'waiting' = 'free'
    let refusal: Refusal | undefined
    for (const [which, unique] of uniques.entries()) {
      const { text, holders } = all[which]![at]!
      if (text === undefined || refusal) continue
      for (const holder of holders) {
        const position = positions.get(holder) ?? Number.POSITIVE_INFINITY
        const isBefore = position < at
        const isGivenUp = isBefore && all[which]![position]!.isGiven && all[which]![position]!.text !== text
        if (isGivenUp && outcomes[position] !== 'refused') {
          outcome = 'waiting'
          passing.push([records[position]!, record])
        } else refusal = { record, unique, holder, because: isGivenUp ? records[position] : undefined }
      }
      if (given[which]!.has(text)) outcome = 'waiting'
    }
    for (const [which, { [at]: value }] of perhaps.entries()) {
      if (value?.text === undefined) continue
      for (const holder of value.holders) {
        const position = positions.get(holder)
        if (position === undefined) continue
        if (position > at) {
          behind.add(position)
          contested.push([record, records[position]!])
        } else outcome = 'waiting'
      }
      if (perhapsGiven[which]!.has(value.text)) outcome = 'waiting'
      perhapsGiven[which]!.add(value.text)
    }
    if (behind.has(at)) outcome = 'waiting'
    outcomes.push(refusal ? 'refused' : outcome)
    if (refusal) refused.push(refusal)
    else for (const [which, { [at]: value }] of all.entries()) if (value?.text) given[which]!.add(value.text)
  }
  const having = (wanted: 'free' | 'waiting') => records.filter((_, at) => outcomes[at] === wanted)
  return { free: having('free'), waiting: having('waiting'), refused, passing, contested }
}
