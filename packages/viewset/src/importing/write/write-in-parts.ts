import type { QuerySet } from '../../store/queryset.ts'
import { isSameKey } from '../../store/row-order.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ImportRecord } from './row-groups.ts'
import { mustBeSorted, type Refusal, type SortedRecords, sortRecords } from './sort-records.ts'
import { type RecordWriter, readAgain, writeAtOnce, writeRecords } from './write-records.ts'

const SET_WISE_PARTS = 6

/** Some rows of an attempt can only be written after others are. */
export class Cut extends Error {
  /** The rows with which a new attempt begins. `undefined`: any rows, since only their order is known to be right. */
  readonly starts: ReadonlySet<ImportRow> | undefined

  constructor(starts?: ReadonlySet<ImportRow>) {
    super('Rows need the results of earlier rows.')
    this.starts = starts
  }
}

/**
 * The result is that of row after row: of records that share a unique value, the later one waits for the earlier one.
 * Taken values are found set-wise, before the database refuses each row.
 *
 * @throws Cut if a record has rows before and after a row that shares a value with it
 */
export async function writeInParts(
  writer: RecordWriter,
  rows: QuerySet,
  records: readonly ImportRecord[],
): Promise<void> {
  if (records.length === 0) return
  const { otherUniques, conditionalUniques } = writer.model.reader
  const uniques = { uniques: otherUniques.map(({ unique }) => unique), conditional: conditionalUniques }
  const isSorted = mustBeSorted(uniques, records)
  if (!isSorted && (await writeAtOnce(writer, records))) return
  const { fixedValues = {} } = writer.hooks
  const sort = (list: readonly ImportRecord[]) => sortRecords(rows, uniques, list, fixedValues)
  let left = records
  let sorted = await sort(left)
  for (let again = await afterOthers(writer, sorted.refused, left); again; ) {
    left = again
    sorted = await sort(left)
    again = await afterOthers(writer, sorted.refused, left)
  }
  if (sorted.starts.size > 0) throw new Cut(sorted.starts)
  // The order of lists that want each other's values is that of the file.
  if (sorted.waiting.length > 0 && left.some(({ isContested }) => isContested)) throw new Cut()
  const write = () => writeParts(writer, left, sorted, sort)
  const mayThrow = sorted.waiting.length > 0 || left.some(record => rowAfterRelease(record, left))
  await (mayThrow && !writer.isUndoable ? writer.database.transaction(write) : write())
}

async function writeParts(
  writer: RecordWriter,
  records: readonly ImportRecord[],
  first: SortedRecords,
  sort: (list: readonly ImportRecord[]) => Promise<SortedRecords>,
): Promise<void> {
  for (const meeting of first.meetings) writer.meet(meeting.flatMap(({ rows }) => rows))
  // The database has refused a record because of another one, and none of the models says which.
  const cutting: RecordWriter = {
    ...writer,
    block: record => {
      const next = rowAfterRelease(record, records)
      if (next) throw new Cut(new Set([next]))
      writer.block(record)
    },
  }
  // Later rows without a shared value are written before those that wait.
  const reordered: RecordWriter = {
    ...writer,
    block: () => {
      throw new Cut()
    },
  }
  let sorted = first
  let left = records
  for (let part = 1; left.length > 0; part++) {
    // In a long chain of records that pass a value on, each pass needs the one before. Then records go one by one.
    const current = part <= SET_WISE_PARTS ? left : left.slice(0, 1)
    if (part > 1) {
      sorted = await sort(current)
      const changed = part <= SET_WISE_PARTS ? await afterOthers(writer, sorted.refused, left) : undefined
      if (changed) {
        left = changed
        continue
      }
    }
    for (const refusal of sorted.refused) writer.refuse(refusal)
    if (part === 1) await writeRecords(cutting, sorted.free)
    else await writeRecords(reordered, await readAgain(writer, sorted.free))
    left = [...sorted.waiting, ...left.slice(current.length)]
  }
}

/** A further row of a record, if a stored record is changed before it and may release a value to it. */
function rowAfterRelease({ rows }: ImportRecord, records: readonly ImportRecord[]): ImportRow | undefined {
  if (rows.length === 1) return undefined
  const releases = records.filter(({ key }) => key !== undefined).map(firstRow)
  const release = releases.find(number => number > rows[0]!.number)
  return release === undefined ? undefined : rows.find(({ number }) => number > release)
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
  if (refused.length === 0) return undefined
  const records = refused.map(({ record }) => record)
  const { model } = writer.model.reader.plan
  const before = records.map(({ key }) => key)
  const matched = new Set(await writer.match(records))
  const isStale = records.some((record, index) => !matched.has(record) || !isSameKey(model, record.key, before[index]))
  return isStale ? left.filter(record => matched.has(record) || !records.includes(record)) : undefined
}
