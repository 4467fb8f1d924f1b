import type { QuerySet } from '../../store/queryset.ts'
import type { ImportRecord } from './import-record.ts'
import { mustBeSorted, type Refusal, sortRecords } from './sort-records.ts'
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
  const uniques = writer.model.reader.otherUniques.map(({ unique }) => unique)
  if (!mustBeSorted(uniques, records) && (await writeAtOnce(writer, records))) return
  const { fixedValues = {} } = writer.hooks
  let left = records
  for (let part = 1; left.length > 0; part++) {
    // Where each part needs the one before, as in a long chain of records that pass a value on, they go one by one.
    const isSetWise = part <= SET_WISE_PARTS
    const asked = isSetWise ? left : left.slice(0, 1)
    const { free, waiting, refused } = await sortRecords(rows, uniques, asked, fixedValues)
    const changed = isSetWise ? await afterOthers(writer, refused, left) : undefined
    if (changed) {
      left = changed
      continue
    }
    for (const refusal of refused) writer.refuse(refusal)
    await writeRecords(writer, free)
    left = [...waiting, ...left.slice(asked.length)]
  }
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
