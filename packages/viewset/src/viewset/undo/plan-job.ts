import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { currentUser } from '../../core/context.ts'
import { ApiError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import type { HistoryTable, HistoryValues } from '../../model/tables/history-tables.ts'
import { recordOf } from '../../records/record.ts'
import type { Complaints } from '../../serializer/model-serializer.ts'
import { limitedParents } from '../../serializer/relations/check-left-parents.ts'
import { ignoreWarning } from '../../serializer/validate.ts'
import { absent } from '../../store/absent.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { losingTables } from '../../store/referrers.ts'
import { decodedKeys } from '../../store/row-order.ts'
import { decodeRow } from '../../store/row-set.ts'
import { readLinks } from '../../store/to-many.ts'
import { historyKey, REDACTED } from '../../store/write/record-history.ts'
import type { Values } from '../../store/write/write.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { ask, type HistoryEntry, jsonRow } from '../history/entries.ts'
import { translationOf, valueToday } from '../history/translation.ts'
import { type ImportedRecord, ImportedRecords, leftBy, planUndo } from './plan-undo.ts'
import { keyFrom, type LaterChange, type PlannedStep, valuesFrom } from './planned-step.ts'
import type { SpoolFolder } from './spool.ts'
import type { UndoReach } from './undo-reach.ts'
import type { UndoReport } from './undo-report.ts'
import type { UndoneModel } from './undone-models.ts'

/** Records that are read and written together. */
export const BATCH = 1_000

/** Entries of a batch of records that are read at once. */
const ENTRIES = 2_000

/** Keys of planned records that later batches name again. Without its key, such a record is read once more. */
const MOST_PLANNED = 100_000

/** Reasons that are changes of others. */
const BY_OTHERS: ReadonlySet<string> = new Set(['changed', 'deleted', 'stored_again'])

/** What is undone, and where its lists are. */
export interface UndoneJob {
  readonly job: string
  /** The jobs that have undone it before. */
  readonly earlier: readonly string[]
  readonly folder: SpoolFolder
}

/** Plans what to do with the records of one model. Their rows are locked. */
export class UndoPlan {
  readonly #view: GenericViewSet
  readonly #one: UndoneModel
  readonly #all: readonly UndoneModel[]
  readonly #report: UndoReport
  readonly #reach: UndoReach
  readonly #undone: UndoneJob
  readonly #table: HistoryTable
  /** The tables whose rows the database has deleted together with records. */
  #losses: Promise<readonly string[]> | undefined
  /** Whether the user has made all changes of the job. */
  #isOwn = true

  constructor(
    view: GenericViewSet,
    one: UndoneModel,
    parts: {
      readonly all: readonly UndoneModel[]
      readonly report: UndoReport
      readonly reach: UndoReach
      readonly undone: UndoneJob
    },
  ) {
    this.#view = view
    this.#one = one
    this.#all = parts.all
    this.#report = parts.report
    this.#reach = parts.reach
    this.#undone = parts.undone
    this.#table = one.history.table
  }

  async *steps(): AsyncGenerator<readonly PlannedStep[]> {
    const { id } = this.#table
    const [first] = await currentDb().select({ id }).from(this.#table).where(this.#ofJob).orderBy(asc(id)).limit(1)
    if (!first) return
    this.#isOwn = !(await this.#hasOthers())
    const planned = new Set<string>()
    for (let last = first.id - 1; ; ) {
      const entries = await this.#entriesAfter(last)
      const [start, end] = [entries[0]?.id ?? 0, entries.at(-1)?.id ?? last]
      const keys = new Set(entries.map(({ record }) => record).filter(key => !planned.has(key)))
      // An earlier batch has planned a record whose first entry it had.
      const records = (await this.#imported([...keys], first.id)).filter(record => record.first >= start)
      for (const record of records) if (record.last > end && planned.size < MOST_PLANNED) planned.add(record.key)
      yield this.#planned(records, first.id)
      if (entries.length < BATCH) return
      last = end
    }
  }

  get #ofJob(): SQL {
    return eq(this.#table.job, this.#undone.job)
  }

  /** Whether another user has made a change of the job. */
  async #hasOthers(): Promise<boolean> {
    const { id, user: ofEntry } = this.#table
    const user = currentUser()
    const isOther = user === null ? isNotNull(ofEntry) : or(isNull(ofEntry), ne(ofEntry, String(user.id)))
    const [entry] = await currentDb().select({ id }).from(this.#table).where(and(this.#ofJob, isOther)).limit(1)
    return entry !== undefined
  }

  async #entriesAfter(last: number): Promise<readonly Pick<HistoryEntry, 'id' | 'record'>[]> {
    const { id, record } = this.#table
    const next = and(this.#ofJob, gt(id, last))
    return currentDb().select({ id, record }).from(this.#table).where(next).orderBy(asc(id)).limit(BATCH)
  }

  async #planned(records: readonly ImportedRecord[], first: number): Promise<readonly PlannedStep[]> {
    const { model } = this.#one
    const ids = records.map(({ key }) => keyFrom(model, key))
    const stored = await this.#lockedRows(ids)
    const links = await this.#linksOf(ids)
    const planned = records.flatMap((record, at): PlannedStep[] => {
      const row = stored.get(record.key)
      const current = { columns: row ? this.#today(row) : null, links: links.get(record.key) ?? {} }
      const step = planUndo(record, current, this.#one)
      if (!step) return []
      const label = this.#labelOf({ ...record.before, ...record.after, ...current.columns })
      return [{ ...step, id: ids[at], row, label, changed: undefined }]
    })
    const steps = await this.#withChanges(await this.#withinReach(await this.#withRedacted(planned, first)))
    return this.#permitted(await this.#withLosses(steps))
  }

  /** What the job did to some records. */
  async #imported(keys: readonly string[], first: number): Promise<readonly ImportedRecord[]> {
    if (keys.length === 0) return []
    const { id, record, action, before, after, rows, fixed, parent, job } = this.#table
    const columns = { id, record, action, before, after, rows, fixed, parent }
    const isOfThese = and(inArray(record, [...keys]), ofJobOnly(sql`${job}`, this.#undone.job))
    const records = new ImportedRecords(translationOf(this.#one.history))
    const order = asc(unindexed(id))
    for (let last = first - 1; ; ) {
      const next = and(isOfThese, gt(id, last))
      const entries = await currentDb().select(columns).from(this.#table).where(next).orderBy(order).limit(ENTRIES)
      records.add(entries)
      if (entries.length < ENTRIES) return records.all
      last = entries.at(-1)?.id ?? last
    }
  }

  /** A created record is kept if another write has changed a value that the history does not keep. */
  async #withRedacted(steps: readonly PlannedStep[], first: number): Promise<readonly PlannedStep[]> {
    const { history, model } = this.#one
    const { id, record, before, job } = this.#table
    const keys = steps.flatMap(step => (step.action === 'delete' ? [step.record.key] : []))
    if (keys.length === 0 || (history.options.redact ?? []).length === 0) return steps
    const list = model.dialect.jsonText(sql`${before}`, REDACTED)
    const byOthers = sql`(${job} is null or not ${ofJobOnly(sql`${job}`, this.#undone.job)})`
    const isChange = and(inArray(record, keys), gt(id, first), byOthers, sql`${list} is not null`)
    const lists = await ask(
      this.#view.database,
      sql`select distinct ${record}, ${list} from ${this.#table} where ${isChange}`,
    )
    const changed = new Map<string, readonly string[]>()
    for (const [key, text] of lists) {
      const { redacted } = translationOf(history).read({ [REDACTED]: JSON.parse(String(text)) })
      changed.set(String(key), [...new Set([...(changed.get(String(key)) ?? []), ...redacted])])
    }
    return steps.map(step => {
      const names = step.action === 'delete' ? changed.get(step.record.key) : undefined
      return names ? { ...step, action: 'nothing', outcome: 'kept', reasons: [{ why: 'changed', names }] } : step
    })
  }

  /** The columns of a row in the forms in which an undo compares them. */
  #today(row: RawRow): HistoryValues {
    const { model, history } = this.#one
    const { columnOf } = translationOf(history)
    const values = Object.entries(jsonRow(model, row)).map(([name, value]) => {
      const column = columnOf(name)
      return [name, column ? (valueToday(column, value)?.value ?? value) : value]
    })
    return Object.fromEntries(values)
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
    const changesHidden = ({ values, links, ...step }: PlannedStep) =>
      [...Object.keys({ ...values, ...links }), ...leftBy(step)].some(isHidden)
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
    this.#losses ??= losingTables(this.#view.database, this.#one.model, restored)
    const names = await this.#losses
    if (names.length === 0) return steps
    return steps.map(step => {
      if (!isLossy(step)) return step
      return { ...step, outcome: 'partly', reasons: [...step.reasons, { why: 'losses', names }] }
    })
  }

  /**
   * Finds who has changed the records since, and when. Created records that an earlier undo has deleted are left out: it
   * has reported them.
   */
  async #withChanges(steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const needed = steps.filter(({ isGone, reasons }) => isGone || reasons.some(({ why }) => BY_OTHERS.has(why)))
    const wanted = new Map(needed.map(step => [step.record.key, step]))
    const changes = new Map<string, LaterChange>()
    const first = Math.min(...needed.map(({ record }) => record.last))
    for (let last = Number.MAX_SAFE_INTEGER; wanted.size > 0; ) {
      const { id, record, user, at, job, before, after } = this.#table
      const isLater = and(inArray(record, [...wanted.keys()]), gt(id, first), lt(id, last))
      const columns = { id, record, user, at, job, before, after }
      const later = await currentDb()
        .select(columns)
        .from(this.#table)
        .where(isLater)
        .orderBy(desc(unindexed(id)))
        .limit(ENTRIES)
      for (const entry of later) {
        const step = wanted.get(entry.record)
        if (!step || entry.id <= step.record.last || !this.#isAbout(step, entry)) continue
        wanted.delete(entry.record)
        changes.set(entry.record, { user: entry.user, at: entry.at, job: entry.job })
      }
      if (later.length < ENTRIES) break
      last = later.at(-1)?.id ?? 0
    }
    return steps.flatMap(step => {
      const changed = changes.get(step.record.key)
      const isReported = step.isGone && changed?.job != null && this.#undone.earlier.includes(changed.job)
      return isReported ? [] : [{ ...step, changed }]
    })
  }

  #isAbout({ reasons }: PlannedStep, { before, after }: Pick<HistoryEntry, 'before' | 'after'>): boolean {
    const [changed] = reasons.filter(({ why }) => why === 'changed')
    if (!changed) return true
    const translation = translationOf(this.#one.history)
    const names = [before, after].flatMap(values => {
      const { columns, links, redacted } = translation.read(values)
      return [...Object.keys(columns), ...links.keys(), ...redacted]
    })
    return changed.names.some(name => names.includes(name))
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
        else await this.#report.refused(this.#one, step, 'failed', String(text))
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

/** The entries of a job among those of some records. A database must not look for them by the job, which has many. */
function ofJobOnly(job: SQL, id: string): SQL {
  return sql`cast(${job} as text) = ${id}`
}

/** An id to sort by. By the id itself, a database may look for the entries of some records among those of all. */
function unindexed(id: HistoryTable['id']): SQL {
  return sql`${id} + 0`
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
