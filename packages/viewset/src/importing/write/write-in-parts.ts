import type { QuerySet } from '../../store/queryset.ts'
import type { ImportRecord } from './import-record.ts'
import { mustBeSorted, type Refusal, type SortedRecords, sortRecords } from './sort-records.ts'
import { type RecordWriter, writeAtOnce, writeRecords } from './write-records.ts'

/** Times that records are sorted and written together before they are written one by one. */
const SET_WISE_PARTS = 6

/**
 * Writes records that want unique values, in as many parts as it takes for the outcome to be that of row after row. A
 * value that is taken is found set-wise, before the database refuses it row by row.
 *
 * @param rows all records of the model
 */
export async function writeInParts(
  writer: RecordWriter,
  rows: QuerySet,
  records: readonly ImportRecord[],
): Promise<void> {
  if (records.length === 0) return
  const { otherUniques, conditionalUniques } = writer.model.reader
  const uniques = { uniques: otherUniques.map(({ unique }) => unique), conditional: conditionalUniques }
  if (!mustBeSorted(uniques, records) && (await writeAtOnce(writer, records))) return
  const { fixedValues = {} } = writer.hooks
  const holders = new Map<ImportRecord, ImportRecord>()
  let left = records
  /** Rows that say the same as rows before them, whose record may be stored since it was looked for. */
  const outdated = new Set<ImportRecord>()
  for (let part = 1; left.length > 0; part++) {
    // If each part needs the one before, as in a long chain of records that pass a value on, rows go one by one.
    const isSetWise = part <= SET_WISE_PARTS
    if (!isSetWise) left = firstRowAlone(left, outdated, holders)
    const asked = isSetWise ? left : left.slice(0, 1)
    const again = asked.filter(record => outdated.delete(record))
    if (again.length > 0) {
      const found = new Set(await writer.match(again))
      left = left.filter(record => !again.includes(record) || found.has(record))
      continue
    }
    const { free, waiting, refused, passing, contested } = await sortRecords(rows, uniques, asked, fixedValues)
    const changed = isSetWise ? await afterOthers(writer, refused, left) : undefined
    if (changed) {
      left = changed
      continue
    }
    const repeated = repeatedAfterHolders(refused, left)
    const parted = repeatedAfterContested(contested)
    // What comes after a repeated row is decided after it.
    const end = Math.min(...[...repeated.values(), ...parted.values()].map(({ again }) => firstRow(again)))
    const isNow = (record: ImportRecord) => firstRow(record) < end
    const later: ImportRecord[] = []
    for (const refusal of refused.filter(({ record }) => isNow(record))) {
      const because = refusal.because ?? holders.get(refusal.record)
      const two = repeated.get(refusal)
      writer.refuse({ ...refusal, record: two?.once ?? refusal.record, because })
      if (!two) continue
      holders.set(two.again, two.holder)
      later.push(two.again)
    }
    for (const [holder, taker] of passing) writer.pass(holder, taker)
    const now = free.filter(isNow).map(record => {
      const two = parted.get(record)
      if (!two) return record
      outdated.add(two.again)
      later.push(two.again)
      return two.once
    })
    await writeRecords(writer, now)
    const undecided = asked.filter(record => waiting.includes(record) || !isNow(record))
    left = inOrder([...undecided, ...later, ...left.slice(asked.length)])
  }
}

/** A record in two: with its rows before the holder of its value is written, and with those after. */
interface PartedRecord {
  readonly once: ImportRecord
  readonly again: ImportRecord
  readonly holder: ImportRecord
}

/** Parts the first record if several rows say the same of it. */
function firstRowAlone(
  left: readonly ImportRecord[],
  outdated: Set<ImportRecord>,
  holders: Map<ImportRecord, ImportRecord>,
): readonly ImportRecord[] {
  const [first, ...others] = left
  if (!first || first.rows.length === 1) return left
  const once = { ...first, rows: first.rows.slice(0, 1) }
  const again = { ...first, rows: first.rows.slice(1) }
  outdated.add(again)
  const holder = holders.get(first)
  if (holder) for (const part of [once, again]) holders.set(part, holder)
  return inOrder([once, again, ...others])
}

function inOrder(records: readonly ImportRecord[]): readonly ImportRecord[] {
  return records.toSorted((a, b) => firstRow(a) - firstRow(b))
}

/** Refused records of which further rows come after a row that may give the value up: they are asked again. */
function repeatedAfterHolders(
  refused: readonly Refusal[],
  left: readonly ImportRecord[],
): ReadonlyMap<Refusal, PartedRecord> {
  const found = new Map<Refusal, PartedRecord>()
  const several = refused.filter(({ record }) => record.rows.length > 1)
  if (several.length === 0) return found
  const byKey = new Map(left.map(record => [String(record.key), record]))
  const isRefused = new Set(refused.map(({ record }) => record))
  for (const refusal of several) {
    const { record } = refusal
    const holder = byKey.get(refusal.holder)
    if (!holder || (firstRow(holder) < firstRow(record) && !isRefused.has(holder))) continue
    const two = partedByHolder(record, holder)
    if (two) found.set(refusal, two)
  }
  return found
}

/** Records of which further rows come after the holder of a value that a condition may keep from the first ones. */
function repeatedAfterContested(contested: SortedRecords['contested']): ReadonlyMap<ImportRecord, PartedRecord> {
  const found = new Map<ImportRecord, PartedRecord>()
  for (const [record, holder] of contested) {
    const two = record.rows.length > 1 && !found.has(record) && partedByHolder(record, holder)
    if (two) found.set(record, two)
  }
  return found
}

/** A record in two if some of its rows come after the first row of the holder that can be written before them. */
function partedByHolder(record: ImportRecord, holder: ImportRecord): PartedRecord | undefined {
  // A holder that is refused as well may be written by a further row of its own.
  const given = holder.rows.find(({ number }) => number > firstRow(record))?.number
  const isAfter = ({ number }: ImportRecord['rows'][number]) => given !== undefined && number > given
  const again = { ...record, rows: record.rows.filter(isAfter) }
  const once = { ...record, rows: record.rows.filter(row => !isAfter(row)) }
  return again.rows.length > 0 ? { once, again, holder } : undefined
}

function firstRow({ rows }: ImportRecord): number {
  return rows[0]!.number
}

/**
 * What is left to write if somebody else has stored records since they were looked for: the record that has a value may
 * be the one that the row is about. `undefined` if nobody has.
 */
async function afterOthers(
  writer: RecordWriter,
  refused: readonly Refusal[],
  left: readonly ImportRecord[],
): Promise<readonly ImportRecord[] | undefined> {
  const records = refused.map(({ record }) => record)
  const before = records.map(({ key }) => String(key))
  const matched = new Set(await writer.match(records))
  const isStale = records.some((record, index) => !matched.has(record) || String(record.key) !== before[index])
  return isStale ? left.filter(record => matched.has(record) || !records.includes(record)) : undefined
}
