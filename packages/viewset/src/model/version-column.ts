import { type Column, type SQL, sql } from 'drizzle-orm'
import { momentOfWrite } from '../core/clock.ts'
import type { ColumnInfo } from './model-info.ts'

// A version only grows, so a tag never names two states of a record. A counter begins at the time of creation: a record
// that is deleted and stored again gets no old version.

/** The field of a body or an item that names a version. */
export const TAG_FIELD = '_etag'

/** Functions of `VersionMixin()`, by which a column of the kit is known. */
const ofKit = new WeakSet<() => unknown>()
const versions = new WeakSet<ColumnInfo>()

export const firstVersion = () => BigInt(Date.now())

/** The next value of a column of `VersionMixin()`. Drizzle writes its name without the table's. */
export function nextVersion(): () => SQL {
  const next = () => sql`${sql.identifier('version')} + 1`
  ofKit.add(next)
  return next
}

export function isVersionColumn(column: Pick<ColumnInfo, 'updateValue'>): boolean {
  return (column.updateValue !== undefined && ofKit.has(column.updateValue)) || versions.has(column as ColumnInfo)
}

/** Whether the version is a time that must be later than that of the last write, even if the clock is behind. */
export function isVersionTime(column: ColumnInfo): boolean {
  return column.kind === 'timestamp' && versions.has(column)
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] }

/** From now on, every insert sets the version and every update increases it, unless code sets the column. */
export function trackVersion(column: ColumnInfo): void {
  if (versions.has(column)) return
  versions.add(column)
  const tracked = column as Changeable<ColumnInfo>
  if (column.kind === 'timestamp') {
    tracked.createValue = momentOfWrite
    tracked.updateValue = momentOfWrite
    return
  }
  const next = increased(column.column)
  tracked.createValue = column.kind === 'bigint' ? firstOf(column) : secondsNow
  tracked.updateValue = () => next
}

/** 32 bits do not hold milliseconds. */
function secondsNow(): number {
  return Math.trunc(Date.now() / 1_000)
}

function firstOf({ ownType }: ColumnInfo): () => unknown {
  return ownType ? () => ownType.toRecord(firstVersion()) : firstVersion
}

function increased(column: Column): SQL {
  return sql`${column} + 1`
}
