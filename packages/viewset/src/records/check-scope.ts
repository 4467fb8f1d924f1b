import type { QuerySet } from '../store/queryset.ts'

/** When written records have to be in the queryset of the resource. */
export type CheckScope = 'create' | 'always' | 'never'

export const OUTSIDE_OF_QUERYSET = 'This record would not be among those that you may see.'

export async function outsideOf(queryset: QuerySet, keys: () => readonly unknown[]): Promise<readonly number[]> {
  return queryset.isUnconditional ? [] : queryset.missing(keys())
}
