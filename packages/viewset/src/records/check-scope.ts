import type { QuerySet } from '../store/queryset.ts'

/** When it is asked whether what was written is among the records that its writer may see. */
export type CheckScope = 'create' | 'always' | 'never'

/** Why a write is refused whose maker would not see the record any more. */
export const OUTSIDE_OF_QUERYSET = 'This record would not be among those that you may see.'

/** Which records, by their index, are not in the set: one statement, in the transaction that has written them. */
export async function outsideOf(queryset: QuerySet, keys: () => readonly unknown[]): Promise<readonly number[]> {
  return queryset.isUnconditional ? [] : queryset.missing(keys())
}
