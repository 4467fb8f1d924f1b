import { Conflict, type FieldErrors, underPath, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ModelInfo, modelInfo } from '../model/model-info.ts'
import { signals } from '../model/signals.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import { decodeRow } from '../store/row-set.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import type { Values } from '../store/write/write.ts'
import { NestedDraft, type OwnedPart, withoutParts } from './drafts.ts'
import { type RecordWriters, writeParts } from './nested-lists.ts'

export interface Resolved {
  readonly values: Values
  /** {@link writeParts} writes them after the record. */
  readonly parts: readonly OwnedPart[]
}

/** `place` is the place in the request, for messages: `''`, `'3.'`, `'3.author.'`. */
interface Placed {
  readonly values: Values
  readonly place: string
}

interface PlacedDraft {
  readonly draft: NestedDraft
  readonly path: string
}

/** Each draft is created as by an action, and its key replaces it. Call it in the transaction of the write. */
export async function resolveNested(database: Database, values: Values, writers: RecordWriters): Promise<Resolved> {
  const keys = new Map<NestedDraft, unknown>()
  for (const { draft, path } of draftsOf([{ values, place: '' }])) {
    const record = await underPath(path, () => writers.create(modelInfo(draft.model), draft.values))
    const key = record[draft.relation.target.key]
    await refuseForeignDrafts(database, [{ draft, path, key }])
    keys.set(draft, key)
  }
  return replaceDrafts(values, keys)
}

/**
 * All drafts of a model at one depth are one INSERT, without signals. With a `preSave` handler, each is created on its own.
 */
export async function resolveManyNested(
  database: Database,
  list: readonly Values[],
  writers: RecordWriters,
): Promise<readonly Resolved[]> {
  return resolvePlaced(
    database,
    writers,
    list.map((values, index) => ({ values, place: `${index}.` })),
  )
}

async function resolvePlaced(
  database: Database,
  writers: RecordWriters,
  list: readonly Placed[],
): Promise<readonly Resolved[]> {
  const drafts = draftsOf(list)
  const keys = drafts.length === 0 ? new Map() : await insertDrafts(database, writers, drafts)
  return list.map(({ values }) => replaceDrafts(values, keys))
}

function draftsOf(list: readonly Placed[]): readonly PlacedDraft[] {
  const drafts = new Map<NestedDraft, string>()
  for (const { values, place } of list) {
    for (const value of Object.values(values)) {
      if (value instanceof NestedDraft && !drafts.has(value)) drafts.set(value, place + value.relation.wire)
    }
  }
  return [...drafts].map(([draft, path]) => ({ draft, path }))
}

async function insertDrafts(
  database: Database,
  writers: RecordWriters,
  drafts: readonly PlacedDraft[],
): Promise<ReadonlyMap<NestedDraft, unknown>> {
  const placed = drafts.map(({ draft, path }) => ({ values: draft.values, place: `${path}.` }))
  const resolved = await resolvePlaced(database, writers, placed)
  const keys = new Map<NestedDraft, unknown>()
  for (const [model, indexes] of Map.groupBy(drafts.keys(), index => (drafts[index] as PlacedDraft).draft.model)) {
    const drafted = indexes.map(index => resolved[index] as Resolved)
    const info = modelInfo(model)
    const paths = indexes.map(index => (drafts[index] as PlacedDraft).path)
    const createOne = ({ values }: Resolved, at: number) =>
      underPath(paths[at] as string, () => writers.create(info, values))
    const rows = signals.preSave.isHeard(model)
      ? await inTurn(drafted, createOne)
      : await insertAll(
          database,
          info,
          drafted.map(({ values }) => values),
        )
    await writeParts(
      database,
      rows.map((owner, i) => ({ owner, parts: drafted[i]?.parts ?? [], isNew: true, path: paths[i] as string })),
      writers,
    )
    const stored = indexes.map((index, i) => {
      const { draft, path } = drafts[index] as PlacedDraft
      return { draft, path, key: rows[i]?.[draft.relation.target.key] }
    })
    await refuseForeignDrafts(database, stored)
    for (const { draft, key } of stored) keys.set(draft, key)
  }
  return keys
}

function replaceDrafts(given: Values, keys: ReadonlyMap<NestedDraft, unknown>): Resolved {
  const { values, parts } = withoutParts(given)
  const resolved = Object.entries(values).map(([name, value]) => {
    return [name, value instanceof NestedDraft ? keys.get(value) : value] as const
  })
  return { values: Object.fromEntries(resolved), parts }
}

async function inTurn<T, R>(items: readonly T[], run: (item: T, index: number) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) results.push(await run(item, index))
  return results
}

async function insertAll(database: Database, model: ModelInfo, list: readonly Values[]): Promise<readonly Values[]> {
  const { rows } = await executeWrite(database, { kind: 'insert', model, rows: list, returning: 'rows' })
  // A trigger can skip a row. Then the others cannot be assigned to their drafts.
  if (rows.length < list.length) throw new Conflict({}, message('not_stored.related'))
  return rows.map(row => decodeRow(database.dialect, model, row))
}

interface StoredDraft {
  readonly draft: NestedDraft
  readonly path: string
  readonly key: unknown
}

const OUTSIDE_OF_FIELD = message('out_of_scope.related')

/** Runs after the write, since defaults and hooks change the records. */
async function refuseForeignDrafts(database: Database, stored: readonly StoredDraft[]): Promise<void> {
  const errors: FieldErrors = {}
  const refuse = async (queryset: QuerySet, group: readonly StoredDraft[]) => {
    const [first] = group
    if (!first || queryset.isUnconditional) return
    const matches = await queryset.matches(
      [first.draft.relation.target],
      group.map(({ key }) => [key]),
    )
    const seen = new Set(matches.map(({ position }) => position))
    group.forEach(({ path }, position) => {
      if (!seen.has(position)) errors[path] = [OUTSIDE_OF_FIELD]
    })
  }
  for (const [scope, group] of Map.groupBy(stored, ({ draft }) => draft.relation.scope)) {
    const model = group[0]?.draft.model
    if (model) await refuse(new QuerySet(database, modelInfo(model)).filter(scope?.()), group)
  }
  for (const [within, group] of Map.groupBy(stored, ({ draft }) => draft.relation.within)) {
    if (within) await refuse(within, group)
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}
