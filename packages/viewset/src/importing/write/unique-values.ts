import type { ColumnInfo, Unique } from '../../model/model-info.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import { comparable } from './comparable.ts'
import type { ImportRecord } from './import-record.ts'
import { storedRecords } from './stored-records.ts'

/** A record with what will be written of it: a stored one keeps its fixed values. */
export type Written = Pick<ImportRecord, 'key' | 'values'>

/** What a record will have in the columns of one unique constraint. */
export interface UniqueValue {
  /** Its values as text that is equal for equal values; `undefined` where it wants none, since nulls are never the same. */
  readonly text: string | undefined
  /** Whether the file says anything of these columns. */
  readonly isGiven: boolean
  /** The other stored records that have these values, by their keys. */
  readonly holders: string[]
}

/** What each record will have in the columns of each constraint, and who has it now: one statement a constraint. */
export async function uniqueValues(
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
  const askedFor: number[] = []
  const wanted = records.map((record, at): UniqueValue => {
    const isGiven = columns.some(({ key }) => record.values[key] !== undefined)
    const tuple = columns.map(column => columnValue(record, column, stored))
    if (!isGiven || tuple.some(value => value === null || value === undefined)) {
      return { text: undefined, isGiven, holders: [] }
    }
    askedFor.push(at)
    tuples.push(tuple)
    const text = tuple.map((value, index) => comparable(value, columns[index]!, ignoreCase)).join('')
    return { text, isGiven, holders: [] }
  })
  for (const { position, key } of await rows.matches(columns, tuples, ignoreCase)) {
    const at = askedFor[position]!
    if (String(key) !== String(records[at]!.key)) wanted[at]!.holders.push(String(key))
  }
  return wanted
}

/** What a record will have in a column: what its rows say, else what is stored or the default of a new record. */
function columnValue({ values, key }: Written, column: ColumnInfo, stored: ReadonlyMap<string, Values>): unknown {
  const given = values[column.key]
  if (given !== undefined) return given
  if (key !== undefined) return stored.get(String(key))?.[column.key]
  // A default that is made anew for each record is not known yet; the database has the last word on it.
  return column.column.defaultFn ? undefined : column.createValue?.()
}

/** The stored records of which rows say only a part of what is unique together. */
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
