import { setImmediate as pause } from 'node:timers/promises'
import { and, lt } from 'drizzle-orm'
import type { History } from '../../model/history.ts'
import type { HistoryAction, HistoryValues } from '../../model/tables/history-tables.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { type Projection, projection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { entryModel, type RecordHistory } from './entries.ts'
import type { PastValues, Translation } from './translation.ts'

/** A record at a time, by the names of today. The forms of its values are those of their time. */
export interface PastState {
  /** `null` if there was no record. */
  readonly columns: Readonly<Record<string, unknown>> | null
  readonly links: ReadonlyMap<string, readonly unknown[]>
  /** Columns that the table no longer has, as far as entries on the way name them. */
  readonly dropped: Readonly<Record<string, unknown>>
}

/** A point in a history: after an entry, or at a time. */
export type Point = { readonly after: number } | { readonly at: string }

/** The fields of an entry from which a state follows. */
export interface StepEntry {
  readonly id: number
  readonly at: string
  readonly action: HistoryAction
  readonly before: HistoryValues | null
  readonly after?: HistoryValues | null
}

/**
 * Why states are uncertain: an entry has a name that the history's options do not explain, it was erased, or a write
 * without an entry has deleted the record.
 */
export type Doubt = 'names' | 'erased' | 'unrecorded'

export interface WalkedStates {
  /** In the order of the points; `undefined` for a point before the first entry. */
  readonly states: readonly (PastState | undefined)[]
  readonly doubt: Doubt | undefined
}

/** The ids of the relations to many that are wanted, by their names; `undefined` if they are not known. */
export type WantedLinks = ReadonlyMap<string, readonly unknown[] | undefined>

/**
 * Goes back from the current state of a record. Each entry has what it replaced. Only the state is in memory, however
 * many entries there are.
 *
 * @param links those of the record as it is now
 */
export async function statesAt(
  database: Database,
  of: RecordHistory,
  points: readonly Point[],
  translation: Translation,
  links: WantedLinks,
): Promise<WalkedStates> {
  const walk = new StateWalk(translation, points, of.current, links)
  const readsAfter = links.size > 0 || translation.dropped.length > 0
  for await (const entries of entriesBack(database, of, readsAfter)) {
    for (const entry of entries) walk.back(entry)
    if (walk.isComplete) break
  }
  return walk.end()
}

/** Bytes of the values that a batch of entries should have at most. */
const BATCH_BYTES = 2_000_000
const FIRST_BATCH = 100
const MOST = 1_000
const LEAST = 20

/** All entries of a record, newest first, in batches. Other requests have their turn between two batches. */
async function* entriesBack(
  database: Database,
  { history: { table }, all }: RecordHistory,
  readsAfter: boolean,
): AsyncGenerator<readonly StepEntry[]> {
  const model = entryModel(table)
  const ordering = [{ by: model.primaryKey, descending: true }]
  const wanted = stepProjection(table, readsAfter)
  let limit = FIRST_BATCH
  for (let last: number | undefined; ; ) {
    const older = last === undefined ? all : and(all, lt(table.id, last))
    const rows = await new QuerySet(database, model).filter(older).orderBy(ordering).rows(wanted, { limit, offset: 0 })
    const entries = rows.map(row => stepEntry(database, wanted, row))
    yield entries
    if (rows.length < limit) return
    await pause()
    last = entries.at(-1)?.id
    const bytes = rows.reduce((sum, row) => sum + row.reduce<number>((size, raw) => size + sizeOf(raw), 0), 0)
    limit = Math.max(LEAST, Math.min(MOST, limit * 2, Math.floor((limit * BATCH_BYTES) / (bytes + 1))))
  }
}

function stepEntry({ dialect }: Database, { columns }: Projection, row: RawRow): StepEntry {
  const values = columns.map((column, at) => {
    const raw = row[at] ?? null
    return [column.key, raw === null ? null : dialect.decoder(column)(raw)] as const
  })
  return Object.fromEntries(values) as unknown as StepEntry
}

function sizeOf(raw: unknown): number {
  return typeof raw === 'string' || raw instanceof Uint8Array ? raw.length : 8
}

const projections = new WeakMap<History['table'], readonly [Projection, Projection]>()

function stepProjection(table: History['table'], readsAfter: boolean): Projection {
  const model = entryModel(table)
  const of = (...keys: string[]) =>
    projection(
      model,
      model.columns.filter(({ key }) => keys.includes(key)),
    )
  const known = projections.get(table) ?? [
    of('id', 'at', 'action', 'before'),
    of('id', 'at', 'action', 'before', 'after'),
  ]
  projections.set(table, known)
  return known[readsAfter ? 1 : 0]
}

/** The ids of a relation while going back. */
interface PastLinks {
  /** By the texts of the ids: whether the record had the id. An id that is missing here was not linked. */
  readonly had: Map<string, { readonly id: unknown; readonly isLinked: boolean }>
  /** Whether `had` has all ids. Those of a deleted record follow from older entries only. */
  readonly isWhole: boolean
}

interface Snapshot {
  readonly columns: Record<string, unknown> | null
  readonly links: Map<string, PastLinks>
  readonly dropped: Record<string, unknown>
  /** Whether older entries are about another record with the same key. */
  isEnded: boolean
}

/** Goes back over the entries of a record, and keeps its states at some points. */
export class StateWalk {
  readonly #translation: Translation
  readonly #points: readonly Point[]
  readonly #wanted: readonly string[]
  readonly #states: (Snapshot | undefined)[]
  #doubt: Doubt | undefined
  #columns: Record<string, unknown> | null
  #links: Map<string, PastLinks>
  #dropped: Record<string, unknown> = {}

  constructor(translation: Translation, points: readonly Point[], current: HistoryValues | null, links: WantedLinks) {
    this.#translation = translation
    this.#points = points
    this.#wanted = [...links.keys()]
    this.#states = points.map(() => undefined)
    this.#columns = current && { ...current }
    this.#links = new Map(
      [...links].map(([name, ids]) => [name, { had: linked(ids ?? []), isWhole: ids !== undefined }]),
    )
  }

  /** Whether all points are reached, and older entries say nothing more about the states. */
  get isComplete(): boolean {
    return this.#states.every(state => {
      return state && (state.isEnded || [...state.links.values()].every(({ isWhole }) => isWhole))
    })
  }

  /** Takes the next older entry. */
  back(entry: StepEntry): void {
    this.#points.forEach((point, at) => {
      const isReached = 'at' in point ? entry.at <= point.at : entry.id <= point.after
      if (isReached) this.#states[at] ??= this.#snapshot()
    })
    if (this.isComplete) return
    const before = this.#translation.read(entry.before)
    const after = this.#translation.read(entry.after ?? null)
    for (const state of this.#states) if (state && !state.isEnded) complete(state, entry.action, before, after)
    if (this.#states.includes(undefined)) this.#step(entry, before, after)
  }

  end(): WalkedStates {
    const states = this.#states.map(state => {
      if (!state) return undefined
      const links = [...state.links].map(([name, { had }]) => {
        return [name, [...had.values()].flatMap(({ id, isLinked }) => (isLinked ? [id] : []))] as const
      })
      return { columns: state.columns, links: new Map(links), dropped: state.dropped }
    })
    return { states, doubt: this.#doubt }
  }

  #snapshot(): Snapshot {
    const links = new Map([...this.#links].map(([name, { had, isWhole }]) => [name, { had: new Map(had), isWhole }]))
    const columns = this.#columns && { ...this.#columns }
    return { columns, links, dropped: { ...this.#dropped }, isEnded: columns === null }
  }

  #step({ action, before: stored }: StepEntry, before: PastValues, after: PastValues): void {
    if (action === 'create') {
      this.#restart(null, {})
      return
    }
    if (stored === null) this.#doubt ??= 'erased'
    if (Object.keys(before.unknown).length > 0) this.#doubt ??= 'names'
    if (action === 'delete') {
      this.#restart({ ...before.columns }, { ...before.dropped })
      return
    }
    if (this.#columns === null) this.#doubt ??= 'unrecorded'
    this.#columns = Object.assign(this.#columns ?? {}, before.columns)
    Object.assign(this.#dropped, before.dropped)
    for (const [name, { had, isWhole }] of this.#links) {
      for (const id of after.links.get(name) ?? []) {
        if (isWhole) had.delete(String(id))
        else had.set(String(id), { id, isLinked: false })
      }
      for (const id of before.links.get(name) ?? []) had.set(String(id), { id, isLinked: true })
    }
  }

  #restart(columns: Record<string, unknown> | null, dropped: Record<string, unknown>): void {
    this.#columns = columns
    this.#dropped = dropped
    this.#links = new Map(this.#wanted.map(name => [name, { had: new Map(), isWhole: false }]))
  }
}

function linked(ids: readonly unknown[]): PastLinks['had'] {
  return new Map(ids.map(id => [String(id), { id, isLinked: true }]))
}

/** Takes what an older entry than a state says about values that newer entries do not have. */
function complete(state: Snapshot, action: HistoryAction, before: PastValues, after: PastValues): void {
  if (action === 'create' || action === 'delete') state.isEnded = true
  if (action === 'delete') return
  for (const [name, value] of Object.entries(after.dropped)) {
    if (!(name in state.dropped)) state.dropped[name] = value
  }
  for (const [name, { had, isWhole }] of state.links) {
    const add = (ids: readonly unknown[] = [], isLinked: boolean) => {
      for (const id of ids) if (!had.has(String(id))) had.set(String(id), { id, isLinked })
    }
    if (isWhole) continue
    add(after.links.get(name), true)
    add(before.links.get(name), false)
  }
}
