import type { ColumnInfo, Unique } from '../../model/model-info.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { isSameKey, keyText } from '../../store/row-order.ts'
import type { Values } from '../../store/write/write.ts'
import { comparable } from './comparable.ts'
import type { ImportRecord } from './row-groups.ts'
import { storedRecords } from './stored-records.ts'

export interface Refusal {
  readonly record: ImportRecord
  readonly unique: Unique
  /** The text of the key of the record that has the value. */
  readonly holder: string
  /** The record that would have released the value, but is refused itself. */
  readonly because: ImportRecord | undefined
}

export interface SortedRecords {
  /** Their values are free: one statement can store them, in any order. */
  readonly free: readonly ImportRecord[]
  /** Earlier records have their values. They are sorted again after those are stored. */
  readonly waiting: readonly ImportRecord[]
  readonly refused: readonly Refusal[]
  readonly passing: readonly (readonly [holder: ImportRecord, taker: ImportRecord])[]
  /** Records that want a value of a later record. A condition of the database decides whether it is taken. */
  readonly contested: readonly (readonly [record: ImportRecord, holder: ImportRecord])[]
}

export interface Uniques {
  readonly uniques: readonly Unique[]
  /** Unique under an SQL condition. Such a record waits for earlier ones, and is never refused here. */
  readonly conditional: readonly Unique[]
}

/** Two records may exchange a value in one UPDATE, in any order. SQLite's indexes ignore the case of ASCII only. */
export function mustBeSorted({ uniques, conditional }: Uniques, records: readonly ImportRecord[]): boolean {
  if (uniques.length + conditional.length === 0) return false
  if (records.filter(({ key }) => key !== undefined).length > 1) return true
  const folded = uniques.filter(({ ignoreCase }) => ignoreCase).flatMap(({ columns }) => columns)
  return records.some(({ values }) => folded.some(({ key }) => /[^\0-\x7f]/.test(String(values[key] ?? ''))))
}

/** The result is that of writing each record after those before it. */
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
  const positions = new Map(
    records.flatMap(({ key }, at) => (key === undefined ? [] : [[keyText(rows.model, key), at] as const])),
  )
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

/** A record with the values to write. A stored record keeps its fixed values. */
type Written = Pick<ImportRecord, 'key' | 'values'>

interface UniqueValue {
  /** Equal text means equal values. `undefined` means no claim, since nulls are distinct. */
  readonly text: string | undefined
  readonly isGiven: boolean
  readonly holders: string[]
}

/** One statement for each constraint. */
async function uniqueValues(
  rows: QuerySet,
  uniques: readonly Unique[],
  records: readonly Written[],
): Promise<readonly (readonly UniqueValue[])[]> {
  const stored = await storedParts(rows, uniques, records)
  return Promise.all(uniques.map(unique => valuesOf(rows, unique, records, stored)))
}

async function valuesOf(
  rows: QuerySet,
  { columns, ignoreCase }: Unique,
  records: readonly Written[],
  stored: ReadonlyMap<string, Values>,
): Promise<readonly UniqueValue[]> {
  const tuples: unknown[][] = []
  const claiming: number[] = []
  const wanted = records.map((record, at): UniqueValue => {
    const isGiven = columns.some(({ key }) => record.values[key] !== undefined)
    const before = record.key === undefined ? undefined : stored.get(keyText(rows.model, record.key))
    const tuple = columns.map(column => columnValue(record, column, before))
    if (!isGiven || tuple.some(value => value === null || value === undefined)) {
      return { text: undefined, isGiven, holders: [] }
    }
    claiming.push(at)
    tuples.push(tuple)
    const text = tuple.map((value, index) => comparable(value, columns[index]!, ignoreCase)).join('')
    return { text, isGiven, holders: [] }
  })
  for (const { position, key } of await rows.matches(columns, tuples, ignoreCase)) {
    const at = claiming[position]!
    if (!isSameKey(rows.model, key, records[at]!.key)) wanted[at]!.holders.push(keyText(rows.model, key))
  }
  return wanted
}

/** The value of a record after the write: from its rows, else the stored one or the default. */
function columnValue({ values, key }: Written, column: ColumnInfo, before: Values | undefined): unknown {
  const given = values[column.key]
  if (given !== undefined) return given
  if (key !== undefined) return before?.[column.key]
  // A default that is a function is not known yet. The database decides.
  return column.column.defaultFn ? undefined : column.createValue?.()
}

async function storedParts(
  rows: QuerySet,
  uniques: readonly Unique[],
  records: readonly Written[],
): Promise<ReadonlyMap<string, Values>> {
  const isPartial = ({ values }: Written) =>
    uniques.some(({ columns }) => {
      const given = columns.filter(({ key }) => values[key] !== undefined).length
      return given > 0 && given < columns.length
    })
  return storedRecords(
    rows,
    records.flatMap(record => (record.key !== undefined && isPartial(record) ? [record.key] : [])),
  )
}
