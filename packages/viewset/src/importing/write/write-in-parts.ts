import type { ModelInfo } from '../../model/model-info.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { isSameKey, keyText } from '../../store/row-order.ts'
import type { ImportRecord } from './row-groups.ts'
import { mustBeSorted, type Refusal, type SortedRecords, sortRecords } from './sort-records.ts'
import { type RecordWriter, readAgain, writeAtOnce, writeRecords } from './write-records.ts'

const SET_WISE_PARTS = 6

/** The result is that of row after row. Taken values are found set-wise, before the database refuses each row. */
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
  /** Records with repeated rows, whose record may be stored since the last match. */
  const outdated = new Set<ImportRecord>()
  for (let part = 1; left.length > 0; part++) {
    // In a long chain of records that pass a value on, each pass needs the one before. Then rows go one by one.
    const isSetWise = part <= SET_WISE_PARTS
    if (!isSetWise) left = firstRowAlone(left, outdated, holders)
    const current = isSetWise ? left : left.slice(0, 1)
    const again = current.filter(record => outdated.delete(record))
    if (again.length > 0) {
      const found = new Set(await writer.match(again))
      left = left.filter(record => !again.includes(record) || found.has(record))
      continue
    }
    const { free, waiting, refused, passing, contested } = await sortRecords(rows, uniques, current, fixedValues)
    const changed = isSetWise ? await afterOthers(writer, refused, left) : undefined
    if (changed) {
      left = changed
      continue
    }
    const repeated = repeatedAfterHolders(rows.model, refused, left)
    const split = repeatedAfterContested(contested)
    // The result of a repeated row decides about all later rows.
    const end = Math.min(...[...repeated.values(), ...split.values()].map(({ again }) => firstRow(again)))
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
      const two = split.get(record)
      if (!two) return record
      outdated.add(two.again)
      later.push(two.again)
      return two.once
    })
    await writeRecords(writer, part === 1 ? now : await readAgain(writer, now))
    const undecided = current.filter(record => waiting.includes(record) || !isNow(record))
    left = byFirstRow([...undecided, ...later, ...left.slice(current.length)])
  }
}

/** A record in two: `once` has the rows before the holder of its value is written, `again` those after. */
interface SplitRecord {
  readonly once: ImportRecord
  readonly again: ImportRecord
  readonly holder: ImportRecord
}

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
  return byFirstRow([once, again, ...others])
}

function byFirstRow(records: readonly ImportRecord[]): readonly ImportRecord[] {
  return records.toSorted((a, b) => firstRow(a) - firstRow(b))
}

/** The rows after the one that may release the value are tried again. */
function repeatedAfterHolders(
  model: ModelInfo,
  refused: readonly Refusal[],
  left: readonly ImportRecord[],
): ReadonlyMap<Refusal, SplitRecord> {
  const found = new Map<Refusal, SplitRecord>()
  const several = refused.filter(({ record }) => record.rows.length > 1)
  if (several.length === 0) return found
  const stored = left.filter(({ key }) => key !== undefined)
  const byKey = new Map(stored.map(record => [keyText(model, record.key), record]))
  const isRefused = new Set(refused.map(({ record }) => record))
  for (const refusal of several) {
    const { record } = refusal
    const holder = byKey.get(refusal.holder)
    if (!holder || (firstRow(holder) < firstRow(record) && !isRefused.has(holder))) continue
    const two = splitByHolder(record, holder)
    if (two) found.set(refusal, two)
  }
  return found
}

function repeatedAfterContested(contested: SortedRecords['contested']): ReadonlyMap<ImportRecord, SplitRecord> {
  const found = new Map<ImportRecord, SplitRecord>()
  for (const [record, holder] of contested) {
    const two = record.rows.length > 1 && !found.has(record) && splitByHolder(record, holder)
    if (two) found.set(record, two)
  }
  return found
}

/** Splits a record if some of its rows come after the holder's first row that can be written before them. */
function splitByHolder(record: ImportRecord, holder: ImportRecord): SplitRecord | undefined {
  // A refused holder may be written by one of its further rows.
  const given = holder.rows.find(({ number }) => number > firstRow(record))?.number
  const isAfter = ({ number }: ImportRecord['rows'][number]) => given !== undefined && number > given
  const again = { ...record, rows: record.rows.filter(isAfter) }
  const once = { ...record, rows: record.rows.filter(row => !isAfter(row)) }
  return again.rows.length > 0 ? { once, again, holder } : undefined
}

function firstRow({ rows }: ImportRecord): number {
  return rows[0]!.number
}

/** Another transaction may have stored records meanwhile: the holder of a value may be the row's own record now. */
async function afterOthers(
  writer: RecordWriter,
  refused: readonly Refusal[],
  left: readonly ImportRecord[],
): Promise<readonly ImportRecord[] | undefined> {
  const records = refused.map(({ record }) => record)
  const { model } = writer.model.reader.plan
  const before = records.map(({ key }) => key)
  const matched = new Set(await writer.match(records))
  const isStale = records.some((record, index) => !matched.has(record) || !isSameKey(model, record.key, before[index]))
  return isStale ? left.filter(record => matched.has(record) || !records.includes(record)) : undefined
}
