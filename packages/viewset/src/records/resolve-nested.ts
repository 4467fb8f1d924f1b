import { Conflict } from '../core/errors.ts'
import { type ModelInfo, modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import type { Values } from '../store/write.ts'
import { insertRows } from '../store/write-many.ts'
import { decodeRow } from './decode-row.ts'
import { NestedDraft, RelatedSet } from './drafts.ts'
import { writeRelatedSets } from './related-sets.ts'
import { inOrder, insertedKeys, withMadeKeys } from './row-order.ts'

/** What is left to write of a record once its drafts are stored. */
export interface Resolved {
  /** Values of its own columns. */
  readonly values: Values
  /** To-many relations, to be written behind it by {@link writeRelatedSets}. */
  readonly sets: readonly RelatedSet[]
}

/** Stores one new record, as an action does: signals are sent. */
export type CreateOne = (model: ModelInfo, values: Values) => Promise<Values>

/**
 * Stores the drafts in `list`, those that others refer to first, and puts their keys in their place. To be called in
 * the transaction of the write.
 *
 * With `createOne`, each draft is a record that is created as an action does. Without it, all drafts of a model at one
 * depth are one INSERT, however long the list is, and no signals are sent: this is for bulk writes.
 */
export async function resolveNested(
  database: Database,
  list: readonly Values[],
  createOne?: CreateOne,
): Promise<readonly Resolved[]> {
  const drafts = [...new Set(list.flatMap(values => Object.values(values).filter(isDraft)))]
  const keys = drafts.length === 0 ? undefined : await store(database, drafts, createOne)
  return list.map(given => {
    const values: Record<string, unknown> = {}
    const sets: RelatedSet[] = []
    for (const [key, value] of Object.entries(given)) {
      if (value instanceof RelatedSet) sets.push(value)
      else values[key] = isDraft(value) ? keys?.get(value) : value
    }
    return { values, sets }
  })
}

function isDraft(value: unknown): value is NestedDraft {
  return value instanceof NestedDraft
}

/** Creates the records of drafts; returns what foreign keys to them hold. */
async function store(
  database: Database,
  drafts: readonly NestedDraft[],
  createOne: CreateOne | undefined,
): Promise<ReadonlyMap<NestedDraft, unknown>> {
  const keys = new Map<NestedDraft, unknown>()
  if (createOne) {
    for (const draft of drafts) {
      const record = await createOne(modelInfo(draft.model), draft.values)
      keys.set(draft, record[draft.target.key])
    }
    return keys
  }
  const resolved = await resolveNested(
    database,
    drafts.map(draft => draft.values),
  )
  const byModel = Map.groupBy(drafts.keys(), index => (drafts[index] as NestedDraft).model)
  for (const [model, indexes] of byModel) {
    const parts = indexes.map(index => resolved[index] as Resolved)
    const rows = await storeAll(
      database,
      modelInfo(model),
      parts.map(part => part.values),
    )
    await writeRelatedSets(
      database,
      rows.map((owner, i) => ({ owner, sets: parts[i]?.sets ?? [], isNew: true })),
    )
    indexes.forEach((index, i) => {
      const draft = drafts[index] as NestedDraft
      keys.set(draft, rows[i]?.[draft.target.key])
    })
  }
  return keys
}

/** Inserts records of one model by one statement; returns their fields as they are stored, in the order of `list`. */
async function storeAll(database: Database, model: ModelInfo, list: readonly Values[]): Promise<readonly Values[]> {
  const { columns, primaryKey } = model
  const keyed = withMadeKeys(model, list)
  const { rows } = await insertRows(database, model, keyed, columns)
  const at = columns.indexOf(primaryKey)
  const ordered = inOrder(rows, at, insertedKeys(database, model, keyed, rows, at))
  // A trigger can keep a row from being stored; the others must not be taken for it.
  if (ordered.length < list.length) throw new Conflict({}, 'A related record has not been stored.')
  return ordered.map(row => decodeRow(database.dialect, model, row))
}
