import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import { currentUser } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { recordOf } from '../../records/record.ts'
import type { Complaints } from '../../serializer/model-serializer.ts'
import { limitedParents } from '../../serializer/relations/check-left-parents.ts'
import { ignoreWarning } from '../../serializer/validate.ts'
import { absent } from '../../store/absent.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { losingTables, referredKeys } from '../../store/referrers.ts'
import { decodedKeys } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import { readLinks } from '../../store/to-many.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { Values } from '../../store/write/write.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type HistoryEntry, jsonRow } from '../history/entries.ts'
import { type ImportedRecord, ImportedRecords, planUndo, type UndoStep } from './plan-undo.ts'
import { keyFrom, type PlannedStep, valuesFrom } from './planned-step.ts'
import { orphansAmong, UndoReach } from './undo-reach.ts'
import { UndoReport } from './undo-report.ts'
import { UndoWriter } from './undo-writer.ts'
import type { UndoneModel } from './undone-models.ts'

/** Records that are read and written together. */
const BATCH = 1_000

/** Why a step could not be carried out. It may succeed after another step. */
interface Refusal {
  readonly step: PlannedStep
  readonly outcome: 'kept' | 'failed' | 'outOfReach'
  readonly text: Text
}

/**
 * Undoes what a job has written, in the current transaction, and reports each record.
 *
 * Created records are deleted, fields get their old values, and deleted records come back. A step that is refused is
 * tried again while others succeed, since they may release a value or a reference. What is refused in the end is
 * reported, and all else is undone.
 *
 * @param job the job to undo
 * @param models in the order in which an import writes them
 */
export async function runUndo(view: GenericViewSet, models: readonly UndoneModel[], job: string): Promise<UndoReport> {
  const report = new UndoReport()
  const reach = new UndoReach(view)
  const planned: PlannedStep[] = []
  for (const model of models)
    planned.push(...(await new UndoPlan(view, model, { all: models, report, reach }).steps(job)))
  for (const step of planned) if (step.action === 'nothing') report.done(step.model, step)
  const writer = new UndoWriter(view, reach)
  let left: readonly Refusal[] = []
  let waiting: readonly PlannedStep[] = planned.filter(({ action }) => action !== 'nothing')
  do {
    const before = waiting.length
    left = await onePass(view, models, writer, waiting, step => report.done(step.model, step))
    waiting = left.length < before ? left.map(({ step }) => step) : []
  } while (waiting.length > 0)
  for (const { step, outcome, text } of left) {
    if (outcome === 'outOfReach') report.outOfReach++
    else report.refused(step.model, step, outcome, text)
  }
  return report
}

/** Children are deleted before their parents, and parents come back before their children. */
async function onePass(
  view: GenericViewSet,
  models: readonly UndoneModel[],
  writer: UndoWriter,
  steps: readonly PlannedStep[],
  done: (step: PlannedStep) => void,
): Promise<readonly Refusal[]> {
  const refused: Refusal[] = []
  const of = (model: UndoneModel, action: UndoStep['action']) =>
    steps.filter(step => step.model === model && step.action === action)
  const write = async (wanted: readonly PlannedStep[]) => {
    for (let from = 0; from < wanted.length; from += BATCH) {
      await writeTogether(view, writer, wanted.slice(from, from + BATCH), done, refusal => refused.push(refusal))
    }
  }
  for (const model of models.toReversed()) {
    const { free, referred } = await withoutReferred(view, models, model, of(model, 'delete'))
    refused.push(...referred)
    await write(free)
  }
  for (const model of models) {
    const { free, orphans } = withoutOrphans(model, of(model, 'insert'), refused)
    refused.push(...orphans)
    await write([...of(model, 'update'), ...free])
  }
  return refused
}

/** If one record is refused, halving finds it, and the others are written. */
async function writeTogether(
  view: GenericViewSet,
  writer: UndoWriter,
  steps: readonly PlannedStep[],
  done: (step: PlannedStep) => void,
  refuse: (refusal: Refusal) => void,
): Promise<void> {
  const [first] = steps
  if (!first) return
  try {
    await view.database.transaction(() => writer.write(steps))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    if (steps.length === 1) return refuse({ step: first, ...writer.outcomeOf(error) })
    const half = steps.length >> 1
    await writeTogether(view, writer, steps.slice(0, half), done, refuse)
    return writeTogether(view, writer, steps.slice(half), done, refuse)
  }
  for (const step of steps) done(step)
}

/** A record that others refer to is kept, also if the database would delete these. */
async function withoutReferred(
  { database }: GenericViewSet,
  models: readonly UndoneModel[],
  one: UndoneModel,
  steps: readonly PlannedStep[],
): Promise<{ readonly free: readonly PlannedStep[]; readonly referred: readonly Refusal[] }> {
  const softDeleted = models.filter(({ active }) => active !== undefined).map(({ model }) => model.name)
  // Links are a part of the record that lists them.
  const own = new Set([...one.relations.values()].map(({ links }) => links.name))
  const free: PlannedStep[] = []
  const referred: Refusal[] = []
  for (let from = 0; from < steps.length; from += BATCH) {
    const part = steps.slice(from, from + BATCH)
    const ids = part.map(({ id }) => id)
    const tables = await referredKeys(database, one.model, ids, { softDeleted, own })
    for (const step of part) {
      const resources = [...(tables.get(historyKey(step.id)) ?? [])]
      const text = message('undone.referred', { resources })
      if (resources.length === 0) free.push(step)
      else referred.push({ step, outcome: 'kept', text })
    }
  }
  return { free, referred }
}

/** A record that belonged to one out of reach is out of reach as well. */
function withoutOrphans(
  model: UndoneModel,
  steps: readonly PlannedStep[],
  refused: readonly Refusal[],
): { readonly free: readonly PlannedStep[]; readonly orphans: readonly Refusal[] } {
  const away = refused.filter(({ outcome }) => outcome === 'outOfReach').map(({ step }) => step)
  const found = orphansAmong(model, steps, away)
  const text = message('permission_denied')
  const orphans = [...found].map(step => ({ step, outcome: 'outOfReach' as const, text }))
  return { free: steps.filter(step => !found.has(step)), orphans }
}

/** Plans what to do with the records of one model. Their rows are locked. */
class UndoPlan {
  readonly #view: GenericViewSet
  readonly #one: UndoneModel
  readonly #all: readonly UndoneModel[]
  readonly #report: UndoReport
  readonly #reach: UndoReach
  /** Whether the user has made all changes of the job. */
  #isOwn = true

  constructor(
    view: GenericViewSet,
    one: UndoneModel,
    { all, report, reach }: { all: readonly UndoneModel[]; report: UndoReport; reach: UndoReach },
  ) {
    this.#view = view
    this.#one = one
    this.#all = all
    this.#report = report
    this.#reach = reach
  }

  async steps(job: string): Promise<readonly PlannedStep[]> {
    const { model } = this.#one
    const records = await this.#records(job)
    const steps: PlannedStep[] = []
    for (let from = 0; from < records.length; from += BATCH) {
      const part = records.slice(from, from + BATCH)
      const ids = part.map(({ key }) => keyFrom(model, key))
      const rows = await this.#lockedRows(ids)
      const links = await this.#linksOf(ids)
      const planned = part.flatMap((record, at) => {
        const row = rows.get(record.key)
        const current = { columns: row ? jsonRow(model, row) : null, links: links.get(record.key) ?? {} }
        const step = planUndo(record, current, this.#one)
        if (!step) return []
        const label = this.#labelOf({ ...record.before, ...record.after, ...current.columns })
        return [{ ...step, model: this.#one, id: ids[at], row, label }]
      })
      steps.push(...(await this.#withinReach(planned)))
    }
    await this.#nameChanges(steps)
    return this.#permitted(await this.#withLosses(steps))
  }

  async #records(job: string): Promise<readonly ImportedRecord[]> {
    const { history, relations } = this.#one
    const { table } = history
    const { id, record, action, before, after, rows, fixed, parent, user } = table
    const columns = { id, record, action, before, after, rows, fixed, parent, user }
    const own = currentUser() === null ? null : String(currentUser()?.id)
    const records = new ImportedRecords(new Set(relations.keys()))
    for (let last = 0; ; ) {
      const next = and(eq(table.job, job), gt(table.id, last))
      const entries = await currentDb().select(columns).from(table).where(next).orderBy(asc(table.id)).limit(BATCH)
      records.add(entries)
      this.#isOwn &&= entries.every(entry => entry.user === own)
      if (entries.length < BATCH) return records.all
      last = entries.at(-1)?.id ?? last
    }
  }

  #labelOf(values: HistoryValues): string {
    const shown = this.#one.unique.map(name => values[name] ?? '')
    return shown.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value))).join(', ')
  }

  async #lockedRows(ids: readonly unknown[]): Promise<ReadonlyMap<string, RawRow>> {
    const { model } = this.#one
    const { database } = this.#view
    const own = ownProjection(model)
    const rows = await new QuerySet(database, model).withKeys(own, ids, 'update')
    const keys = decodedKeys(database, model, rows, own.columns.indexOf(model.primaryKey))
    return new Map(rows.map((row, at) => [historyKey(keys[at]), row]))
  }

  async #linksOf(ids: readonly unknown[]): Promise<ReadonlyMap<string, Record<string, readonly string[]>>> {
    const found = new Map<string, Record<string, string[]>>()
    for (const [name, relation] of this.#one.relations) {
      for (const id of ids) found.set(historyKey(id), { ...found.get(historyKey(id)), [name]: [] })
      for (const { source, target } of await readLinks(this.#view.database, relation, ids)) {
        found.get(historyKey(source))?.[name]?.push(historyKey(target))
      }
    }
    return found
  }

  /**
   * Leaves out and counts the records that the user may not see, and changes of fields that the user may not see. A
   * record that the user has deleted comes back with all of its fields.
   */
  async #withinReach(steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const { isHidden } = this.#one
    const within = await this.#reach.within(this.#one, steps)
    const changesHidden = ({ values, links, left }: PlannedStep) =>
      [...Object.keys({ ...values, ...links }), ...left].some(isHidden)
    const isSeen = (step: PlannedStep) => within.has(step) && (this.#restoresOwn(step) || !changesHidden(step))
    const seen = steps.filter(isSeen)
    this.#reach.leaveAway(
      this.#one,
      steps.filter(step => step.row === undefined && !isSeen(step)),
    )
    this.#report.outOfReach += steps.length - seen.length
    return seen
  }

  /** Whether a record comes back that the user has deleted. */
  #restoresOwn({ row }: PlannedStep): boolean {
    return row === undefined && this.#isOwn
  }

  /** Rows that the database has deleted together with a record come back if the undo has their history. */
  async #withLosses(steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const isLossy = ({ action, outcome, record }: PlannedStep) =>
      action === 'insert' || (record.wasReplaced && outcome === 'reversed')
    if (!steps.some(isLossy)) return steps
    const restored = new Set(this.#all.map(({ model }) => model.name))
    const lost = await losingTables(this.#view.database, this.#one.model, restored)
    if (lost.length === 0) return steps
    return steps.map(step => (isLossy(step) ? { ...step, outcome: 'partly', why: 'losses', lost } : step))
  }

  /** Finds who has changed the records since, and when. */
  async #nameChanges(all: readonly PlannedStep[]): Promise<void> {
    const { history } = this.#one
    const { table } = history
    const steps = all.filter(({ why }) => why !== null && why !== 'redacted')
    for (let from = 0; from < steps.length; from += BATCH) {
      const part = steps.slice(from, from + BATCH)
      const first = Math.min(...part.map(({ record }) => record.last))
      const keys = part.map(({ record }) => record.key)
      const later = await currentDb()
        .select()
        .from(table)
        .where(and(gt(table.id, first), inArray(table.record, keys)))
        .orderBy(asc(table.id))
      const byRecord = Map.groupBy(later, ({ record }) => record)
      for (const { record, left, why } of part) {
        const isAbout = ({ id, before, after }: HistoryEntry) =>
          id > record.last && (why !== 'changed' || left.some(name => name in { ...before, ...after }))
        const entry = (byRecord.get(record.key) ?? []).findLast(isAbout)
        if (entry) this.#report.noteChange(history, record.key, entry)
      }
    }
  }

  /** The steps that permissions and the serializer's rules allow. The others are reported. */
  async #permitted(steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const permitted: PlannedStep[] = []
    for (let from = 0; from < steps.length; from += BATCH) {
      const part = steps.slice(from, from + BATCH)
      const { hasObjectPermissions } = this.#view
      const roots = hasObjectPermissions ? await this.#reach.roots(this.#one, part) : undefined
      for (const step of part) {
        const text = step.action === 'nothing' ? undefined : await this.#refusalOf(step, roots?.get(step) ?? [])
        if (text === undefined) permitted.push(step)
        else this.#report.refused(this.#one, step, 'failed', text)
      }
    }
    return permitted
  }

  /** @param roots the records of the resource to which the record belongs: their object permissions count */
  async #refusalOf(step: PlannedStep, roots: readonly RawRow[]): Promise<Text | undefined> {
    const { action, row, values, links } = step
    const view = this.#view
    const { model, isOfResource, isReadOnly, isRefused } = this.#one
    const changesRefused = !this.#restoresOwn(step) && Object.keys({ ...values, ...links }).some(isRefused)
    if (isReadOnly || changesRefused) return message('permission_denied')
    if (!isOfResource) return this.#refusalOfAny(roots)
    const serializer = view.getSerializer()
    if (row && (await this.#movesBeyondScope(row, valuesFrom(model, values)))) return message('not_movable')
    const hasRules = action === 'update' && serializer.hasRules
    if (!row || !(hasRules || view.hasObjectPermissions)) return undefined
    const record = recordOf<Model>(view.database, model, row)
    const refusal = await this.#refusalOfAny([row])
    if (refusal !== undefined || !hasRules) return refusal
    const answer = await serializer.validateTogether(valuesFrom(model, values), {
      record,
      user: currentUser(),
      warn: ignoreWarning,
    })
    return Object.values((answer ?? {}) as Complaints<string>).flat()[0]
  }

  /** Whether a child would leave or get a parent that the user may not write. */
  async #movesBeyondScope(row: RawRow, values: Values): Promise<boolean> {
    const { database, definition } = this.#view
    const fields = this.#view.getSerializer().fields.filter(field => field.kind === 'stored')
    const moved = limitedParents(fields).filter(({ column }) => values[column.key] !== undefined)
    if (moved.length === 0) return false
    const stored = decodeRow(database.dialect, definition.model, row)
    const asked = moved.map(({ column, relation }) => ({
      queryset: new QuerySet(database, relation.model).filter(relation.scope()),
      column: relation.target,
      values: [values[column.key], stored[column.key]].filter(key => key !== null && key !== undefined),
    }))
    return (await absent(database, asked)).some(({ size }) => size > 0)
  }

  /** Why an object permission forbids one of the records. */
  async #refusalOfAny(rows: readonly RawRow[]): Promise<Text | undefined> {
    const { database, definition } = this.#view
    for (const row of rows) {
      const record = recordOf<Model>(database, definition.model, row)
      const text = await textOfRefusal(() => this.#view.checkObjectPermissions(record))
      if (text !== undefined) return text
    }
    return undefined
  }
}

async function textOfRefusal(check: () => Promise<void>): Promise<Text | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.text
    throw error
  }
}
