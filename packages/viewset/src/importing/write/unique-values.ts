import type { ColumnInfo, Unique } from '../../model/model-info.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import { comparable } from './comparable.ts'
import type { ImportRecord } from './import-record.ts'
import { storedRecords } from './stored-records.ts'

/** A record with the values to write. A stored record keeps its fixed values. */
export type Written = Pick<ImportRecord, 'key' | 'values'>

export interface UniqueValue {
  /** Equal text means equal values. `undefined` means no claim, since nulls are distinct. */
  readonly text: string | undefined
  readonly isGiven: boolean
  readonly holders: string[]
}

/** The values of each record in each constraint, and the current holders: one statement a constraint. */
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

/** The value of a record after the write: from its rows, else the stored one or the default. */
function columnValue({ values, key }: Written, column: ColumnInfo, stored: ReadonlyMap<string, Values>): unknown {
  const given = values[column.key]
  if (given !== undefined) return given
  if (key !== undefined) return stored.get(String(key))?.[column.key]
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
