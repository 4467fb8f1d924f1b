import type { ColumnInfo, ModelInfo, Unique } from '../../model/model-info.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { isSameKey, keyText } from '../../store/row-order.ts'
import type { Values } from '../../store/write/write.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ConditionalUnique } from '../read/model-reader.ts'
import { comparable } from './comparable.ts'
import type { ImportRecord } from './row-groups.ts'
import { storedRecords } from './stored-records.ts'

export interface Refusal {
  readonly record: ImportRecord
  readonly unique: Unique
}

export interface SortedRecords {
  /** Their values are free: one statement can store them, in any order. */
  readonly free: readonly ImportRecord[]
  /** Earlier records want or have their values. They are sorted again after those are stored. */
  readonly waiting: readonly ImportRecord[]
  /** They fail in any case: no record releases the value before them. */
  readonly refused: readonly Refusal[]
  /** Records that share a value. */
  readonly meetings: readonly (readonly ImportRecord[])[]
  /** Further rows of records, behind a row of another record that they meet. */
  readonly starts: ReadonlySet<ImportRow>
}

export interface Uniques {
  readonly uniques: readonly Unique[]
  /** Unique under an SQL condition. Such a record waits for earlier ones, and is never refused here. */
  readonly conditional: readonly ConditionalUnique[]
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
  const positions = new Map<string, number>()
  const given = uniques.map(() => new Set<string>())
  const perhapsGiven = conditional.map(() => new Set<string>())
  const behind = new Set<number>()
  for (const [at, { key }] of records.entries()) {
    if (key === undefined) continue
    const text = keyText(rows.model, key)
    // Two texts of a file may mean the same record to the database.
    if (positions.has(text)) behind.add(at)
    else positions.set(text, at)
  }
  const outcomes: ('free' | 'waiting' | 'refused')[] = []
  const refused: Refusal[] = []
  for (const [at, record] of records.entries()) {
    let outcome: 'free' | 'waiting' = behind.has(at) ? 'waiting' : 'free'
    let refusal: Refusal | undefined
    for (const [which, unique] of uniques.entries()) {
      const { text, holders } = all[which]![at]!
      if (text === undefined || refusal) continue
      for (const holder of holders) {
        const position = positions.get(holder)
        const value = position === undefined ? undefined : all[which]![position]!
        const isReleased = value?.isGiven === true && value.text !== text && outcomes[position!] !== 'refused'
        if (!isReleased || firstRow(records[position!]!) > lastRow(record)) refusal = { record, unique }
        else if (position! < at) outcome = 'waiting'
      }
      if (given[which]!.has(text)) outcome = 'waiting'
    }
    for (const [which, { [at]: value }] of perhaps.entries()) {
      if (value?.text === undefined) continue
      for (const holder of value.holders) {
        const position = positions.get(holder)
        if (position === undefined) continue
        if (position > at) behind.add(position)
        else outcome = 'waiting'
      }
      if (perhapsGiven[which]!.has(value.text)) outcome = 'waiting'
    }
    outcomes.push(refusal ? 'refused' : outcome)
    if (refusal) {
      refused.push(refusal)
      continue
    }
    for (const [which, { [at]: value }] of all.entries()) if (value?.text) given[which]!.add(value.text)
    for (const [which, { [at]: value }] of perhaps.entries()) if (value?.text) perhapsGiven[which]!.add(value.text)
  }
  const having = (wanted: 'free' | 'waiting') => records.filter((_, at) => outcomes[at] === wanted)
  const meetings = meetingsOf(rows.model, records, [...all, ...perhaps], at => outcomes[at] !== 'refused')
  const starts = new Set(meetings.flatMap(startsIn))
  return { free: having('free'), waiting: having('waiting'), refused, meetings, starts }
}

/** The records that want the same value, or the value of a record that another one changes. */
function meetingsOf(
  model: ModelInfo,
  records: readonly ImportRecord[],
  values: readonly (readonly UniqueValue[])[],
  isLeft: (at: number) => boolean,
): readonly (readonly ImportRecord[])[] {
  const sharing = new Map<string, Set<ImportRecord>>()
  const share = (text: string, record: ImportRecord) => {
    const known = sharing.get(text)
    if (known) known.add(record)
    else sharing.set(text, new Set([record]))
  }
  for (const [at, record] of records.entries()) {
    if (!isLeft(at)) continue
    if (record.key !== undefined) share(`key ${keyText(model, record.key)}`, record)
    for (const [which, { [at]: value }] of values.entries()) {
      if (value?.text === undefined) continue
      share(`${which} ${value.text}`, record)
      for (const holder of value.holders) share(`key ${holder}`, record)
    }
  }
  return [...sharing.values()].filter(({ size }) => size > 1).map(found => [...found])
}

/** The rows of a record with a row of another record between them and its rows before. */
function startsIn(meeting: readonly ImportRecord[]): readonly ImportRow[] {
  if (meeting.every(({ rows }) => rows.length === 1)) return []
  const rows = meeting.flatMap(record => record.rows.map(row => ({ row, record })))
  const starts: ImportRow[] = []
  const seen = new Set<ImportRecord>()
  let last: ImportRecord | undefined
  for (const { row, record } of rows.sort((a, b) => a.row.number - b.row.number)) {
    if (record !== last && seen.has(record)) {
      starts.push(row)
      seen.clear()
    }
    seen.add(record)
    last = record
  }
  return starts
}

function firstRow({ rows }: ImportRecord): number {
  return rows[0]!.number
}

function lastRow({ rows }: ImportRecord): number {
  return rows.at(-1)!.number
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
  unique: Unique,
  records: readonly Written[],
  stored: ReadonlyMap<string, Values>,
): Promise<readonly UniqueValue[]> {
  const { columns, ignoreCase } = unique
  const deciding = decidingColumns(unique)
  const tuples: unknown[][] = []
  const claiming: number[] = []
  const wanted = records.map((record, at): UniqueValue => {
    const isGiven = deciding.some(({ key }) => record.values[key] !== undefined)
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

/** The columns by which a record can take or release a value: with a condition, also those of the condition. */
function decidingColumns(unique: Unique & Partial<ConditionalUnique>): readonly ColumnInfo[] {
  return [...unique.columns, ...(unique.whereColumns ?? [])]
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
    uniques.some(unique => {
      const isGiven = ({ key }: ColumnInfo) => values[key] !== undefined
      return decidingColumns(unique).some(isGiven) && !unique.columns.every(isGiven)
    })
  return storedRecords(
    rows,
    records.flatMap(record => (record.key !== undefined && isPartial(record) ? [record.key] : [])),
  )
}
