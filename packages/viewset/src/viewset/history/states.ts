import type { HistoryValues } from '../../model/tables/history-tables.ts'
import type { HistoryEntry } from './entries.ts'

/** The columns of a record at a time; `null` if there was no record. */
export type HistoryState = HistoryValues | null

type StepEntry = Pick<HistoryEntry, 'action' | 'before' | 'after'>

/**
 * The state before some entries. Each entry has what it replaced, so the state is found by going back from the current
 * one.
 *
 * @param newestFirst all entries after the wanted state
 * @param links the names of the relations to many, whose entries have the removed and the added ids
 */
export function stateBefore(
  current: HistoryState,
  newestFirst: readonly StepEntry[],
  links: ReadonlySet<string>,
): HistoryState {
  let state: HistoryState = current
  for (const { action, before, after } of newestFirst) {
    if (action === 'create') state = null
    else if (action === 'delete') state = before
    else state = { ...state, ...columnsBefore(state ?? {}, before ?? {}, after ?? {}, links) }
  }
  return state
}

function columnsBefore(
  state: HistoryValues,
  before: HistoryValues,
  after: HistoryValues,
  links: ReadonlySet<string>,
): HistoryValues {
  const values = Object.entries(before).map(([name, value]) => {
    if (!links.has(name)) return [name, value] as const
    const added = new Set(listOf(after[name]))
    return [name, [...listOf(state[name]).filter(id => !added.has(id)), ...listOf(value)]] as const
  })
  return Object.fromEntries(values)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
