import { currentUser, type User } from '../core/context.ts'
import type { ColumnInfo } from './model-info.ts'

type ReaderTest = (user: User | null) => boolean

/** Columns that no message to a client names, such as that of a tenant. */
const unnamed = new WeakSet<object>()
/** Columns that messages name only to some users, with a test of each serializer that limits its readers. */
const limited = new WeakMap<object, Set<ReaderTest>>()

export function hideName({ column }: ColumnInfo): void {
  unnamed.add(column)
}

export function nameOnlyFor({ column }: ColumnInfo, mayRead: ReaderTest): void {
  const tests = limited.get(column) ?? new Set()
  limited.set(column, tests.add(mayRead))
}

/**
 * The columns that a message to the current user may name; none if the user may read none of them.
 *
 * @param isKnown whether the user reads or has sent the column; limits of other serializers do not count then
 */
export function namedColumns(
  columns: readonly ColumnInfo[],
  isKnown: (column: ColumnInfo) => boolean = () => false,
): readonly ColumnInfo[] {
  const named = columns.filter(({ column }) => !unnamed.has(column))
  const candidates = named.length === 0 ? columns : named
  return candidates.filter(column => isKnown(column) || isNamedTo(column, currentUser()))
}

function isNamedTo({ column }: ColumnInfo, user: User | null): boolean {
  return [...(limited.get(column) ?? [])].every(mayRead => mayRead(user) === true)
}
