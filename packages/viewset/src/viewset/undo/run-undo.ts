import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import { currentUser } from '../../core/context.ts'
import { ApiError, PermissionDenied } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { type History, historyOf } from '../../model/history.ts'
import type { Model } from '../../model/kit.ts'
import { AUDIT_FIELDS, type ModelInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import { recordOf } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { deleteRecords, insertRecords, updateRecords } from '../../records/write-many.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { Complaints } from '../../serializer/model-serializer.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { referredKeys } from '../../store/referrers.ts'
import { decodedKeys } from '../../store/row-order.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { Values } from '../../store/write/write.ts'
import { resourceHooks } from '../files/resource-hooks.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type HistoryEntry, jsonRow } from '../history/entries.ts'
import { shownValues } from '../history/shown-values.ts'
import { importedRecords, planUndo, type UndoStep } from './plan-undo.ts'
import { UndoReport } from './undo-report.ts'

/** Records that are read and written together. */
const BATCH = 1_000

/** A model of an import, with its history. */
export interface UndoneModel {
  readonly history: History
  readonly model: ModelInfo
  /** The name of the model in the file. */
  readonly name: string
  readonly isOfResource: boolean
  namesOf(columns: readonly string[]): readonly string[]
}

interface PlannedStep extends UndoStep {
  readonly id: unknown
  /** The stored row, for an update or a deletion. */
  readonly row: RawRow | undefined
}

/** The models of an import; `undefined` if one has no history. */
export function undoneModels(
  view: GenericViewSet,
  imported: readonly { readonly key: string; readonly model: ModelInfo }[],
): readonly UndoneModel[] | undefined {
  const models = imported.flatMap(({ key, model }): readonly UndoneModel[] => {
    const history = historyOf(model.table)
    if (!history) return []
    const isOfResource = model === view.definition.model
    const wires = new Map(model.columns.map(({ name, wire }) => [name, wire]))
    const shown = isOfResource ? shownValues(view, history) : undefined
    const namesOf = (columns: readonly string[]) =>
      shown
        ? Object.keys(shown.values(Object.fromEntries(columns.map(name => [name, null]))) ?? {})
        : columns.map(name => wires.get(name) ?? name)
    return [{ history, model, name: key, isOfResource, namesOf }]
  })
  return models.length === imported.length ? models : undefined
}

/** A record that comes back outside of what the user may see. */
class OutOfReach extends PermissionDenied {}

/**
 * Undoes what an import has written, in the current transaction.
 *
 * Created records are deleted, children first. Then fields get their old values, and deleted records come back, parents
 * first. A record that a rule or the database refuses is reported, and the others are undone.
 */
export class UndoRun {
  readonly report = new UndoReport()
  readonly #view: GenericViewSet

  constructor(view: GenericViewSet) {
    this.#view = view
  }

  async undo(models: readonly UndoneModel[], job: string): Promise<void> {
    const planned = new Map<UndoneModel, readonly PlannedStep[]>()
    for (const one of models) planned.set(one, await this.#plan(one, job))
    const of = (one: UndoneModel, action: UndoStep['action']) =>
      (planned.get(one) ?? []).filter(step => step.action === action)
    for (const one of models.toReversed()) await this.#deleteUnreferred(one, of(one, 'delete'), models)
    for (const one of models) await this.#writeAll(one, of(one, 'update'), steps => this.#update(one, steps))
    for (const one of models) await this.#writeAll(one, of(one, 'insert'), steps => this.#insert(one, steps))
    for (const one of models) for (const step of of(one, 'nothing')) this.report.add(one, step, step.outcome)
  }

  async #plan(one: UndoneModel, job: string): Promise<readonly PlannedStep[]> {
    const { history, model, isOfResource } = one
    const { table } = history
    const entries = await currentDb().select().from(table).where(eq(table.job, job)).orderBy(asc(table.id))
    const records = importedRecords(entries)
    const isIgnored = ignoredBy(history)
    const steps: PlannedStep[] = []
    for (let from = 0; from < records.length; from += BATCH) {
      const part = records.slice(from, from + BATCH)
      const ids = part.map(({ key }) => keyFrom(model, key))
      const rows = await this.#lockedRows(model, ids)
      const visible = isOfResource ? await this.#visibleKeys(ids) : undefined
      for (const [at, record] of part.entries()) {
        const row = rows.get(record.key)
        if (row && visible && !visible.has(record.key)) {
          this.report.outOfReach++
          continue
        }
        const step = planUndo(record, row ? jsonRow(model, row) : null, isIgnored)
        if (step) steps.push({ ...step, id: ids[at], row })
      }
    }
    await this.#nameChanges(history, steps)
    return this.#permitted(one, steps)
  }

  async #lockedRows(model: ModelInfo, ids: readonly unknown[]): Promise<ReadonlyMap<string, RawRow>> {
    const own = ownProjection(model)
    const { database } = this.#view
    const rows = await new QuerySet(database, model).withKeys(own, ids, 'update')
    const keys = decodedKeys(database, model, rows, own.columns.indexOf(model.primaryKey))
    return new Map(rows.map((row, at) => [historyKey(keys[at]), row]))
  }

  /** The keys of the records that the person who undoes may see; `undefined` for all. */
  async #visibleKeys(ids: readonly unknown[]): Promise<ReadonlySet<string> | undefined> {
    const queryset = await this.#view.getQueryset()
    if (queryset.isUnconditional) return undefined
    const { model } = this.#view.definition
    const rows = await queryset.withKeys(keyProjection(model), ids)
    return new Set(decodedKeys(this.#view.database, model, rows, 0).map(historyKey))
  }

  /** Finds who has changed the records since the import, and when. */
  async #nameChanges(history: History, all: readonly PlannedStep[]): Promise<void> {
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
        if (entry) this.report.noteChange(history, record.key, entry)
      }
    }
  }

  /** The steps that object permissions and the serializer's rules allow. */
  async #permitted(one: UndoneModel, steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const view = this.#view
    const serializer = view.getSerializer()
    if (!one.isOfResource || !(view.hasObjectPermissions || serializer.hasRules)) return steps
    const permitted: PlannedStep[] = []
    for (const step of steps) {
      const record = step.row && recordOf<Model>(view.database, one.model, step.row)
      const refusal =
        record && step.action !== 'nothing' ? await refusalOf(() => view.checkObjectPermissions(record)) : undefined
      const complaint = step.action === 'update' && record ? await complaintOf() : undefined
      const text = refusal ?? complaint
      if (text === undefined) permitted.push(step)
      else this.report.add(one, step, 'failed', text)

      async function complaintOf(): Promise<Text | undefined> {
        const values = valuesFrom(one.model, step.values)
        const user = currentUser()
        const answer = await serializer.validateTogether(values, { record: record ?? null, user })
        return Object.values((answer ?? {}) as Complaints<string>).flat()[0]
      }
    }
    return permitted
  }

  async #deleteUnreferred(
    one: UndoneModel,
    steps: readonly PlannedStep[],
    models: readonly UndoneModel[],
  ): Promise<void> {
    const { database } = this.#view
    const softDeleted = models.filter(({ model }) => model.softDeletable).map(({ model }) => model.name)
    const free: PlannedStep[] = []
    for (let from = 0; from < steps.length; from += BATCH) {
      const part = steps.slice(from, from + BATCH)
      const referred = await referredKeys(
        database,
        one.model,
        part.map(({ id }) => id),
        softDeleted,
      )
      for (const step of part) {
        const tables = referred.get(historyKey(step.id))
        if (!tables) free.push(step)
        else this.report.add(one, step, 'kept', message('undone.referred', { resources: [...tables] }))
      }
    }
    await this.#writeAll(one, free, part => this.#delete(one, part))
  }

  async #delete({ model, isOfResource }: UndoneModel, steps: readonly PlannedStep[]): Promise<void> {
    const { database } = this.#view
    const ids = steps.map(({ id }) => id)
    const hooks = isOfResource ? resourceHooks(this.#view) : {}
    if (!hooks.delete) return void (await deleteRecords(database, model, ids))
    await hooks.delete(
      new RecordList(
        database,
        model,
        ids,
        steps.flatMap(({ row }) => (row ? [row] : [])),
      ),
    )
  }

  async #update({ model, isOfResource }: UndoneModel, steps: readonly PlannedStep[]): Promise<void> {
    const { database } = this.#view
    const changes = steps.map(({ id, row, values }) => ({ key: id, row, values: valuesFrom(model, values) }))
    const hooks = isOfResource ? resourceHooks(this.#view) : {}
    if (!hooks.update) return void (await updateRecords(database, model, changes))
    await hooks.update(
      changes.flatMap(({ row, values }) => (row ? [{ record: recordOf<Model>(database, model, row), values }] : [])),
    )
  }

  async #insert({ model, isOfResource }: UndoneModel, steps: readonly PlannedStep[]): Promise<void> {
    const view = this.#view
    const list = steps.map(({ values }) => comingBack(model, valuesFrom(model, values)))
    const hooks = isOfResource ? resourceHooks(view) : {}
    const { keys } = await (hooks.create ?? (values => insertRecords(view.database, model, values)))(list)
    if (!isOfResource) return
    const queryset = await view.getQueryset()
    if (!queryset.isUnconditional && (await queryset.missing(keys)).length > 0) throw new OutOfReach()
  }

  async #writeAll(
    one: UndoneModel,
    steps: readonly PlannedStep[],
    write: (steps: readonly PlannedStep[]) => Promise<void>,
  ): Promise<void> {
    for (let from = 0; from < steps.length; from += BATCH) {
      await this.#writeTogether(one, steps.slice(from, from + BATCH), write)
    }
  }

  /** If one record is refused, halving finds it, and the others are written. */
  async #writeTogether(
    one: UndoneModel,
    steps: readonly PlannedStep[],
    write: (steps: readonly PlannedStep[]) => Promise<void>,
  ): Promise<void> {
    const [first] = steps
    if (!first) return
    try {
      await this.#view.database.transaction(() => write(steps))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (steps.length > 1) {
        const half = steps.length >> 1
        await this.#writeTogether(one, steps.slice(0, half), write)
        return this.#writeTogether(one, steps.slice(half), write)
      }
      if (error instanceof OutOfReach) this.report.outOfReach++
      else this.report.add(one, first, 'failed', textOf(error))
      return
    }
    for (const step of steps) this.report.add(one, step, step.outcome)
  }
}

/** Columns that are none of the import's business: audit columns, versions and those that the history ignores. */
function ignoredBy({ model, options }: History): (column: string) => boolean {
  const { ignore = [] } = options
  const names = model.columns
    .filter(column => AUDIT_FIELDS.has(column.key) || isVersionColumn(column) || ignore.includes(column.key))
    .map(({ name }) => name)
  const ignored = new Set(names)
  return column => ignored.has(column)
}

/** The key that a history names, as records have it. */
function keyFrom({ primaryKey }: ModelInfo, key: string): unknown {
  const read = readJsonValue(primaryKey, primaryKey.kind === 'integer' ? Number(key) : key)
  return 'value' in read ? read.value : key
}

/** Values of a history as records have them. A column that the model no longer has is left out. */
function valuesFrom({ columns }: ModelInfo, values: HistoryValues): Values {
  const byName = new Map(columns.map(column => [column.name, column]))
  const read = Object.entries(values).flatMap(([name, value]) => {
    const column = byName.get(name)
    if (!column || column.generated) return []
    if (value === null || column.kind === 'text' || column.kind === 'enumeration') return [[column.key, value]]
    const known = readJsonValue(column, value)
    return [[column.key, 'value' in known ? known.value : value]]
  })
  return Object.fromEntries(read)
}

/** A deleted record comes back with a new version, and as changed now by the person who undoes. */
function comingBack({ columns }: ModelInfo, values: Values): Values {
  const isNew = (key: string) => key === 'updatedAt' || key === 'updatedBy'
  const left = columns.filter(column => isNew(column.key) || isVersionColumn(column)).map(({ key }) => key)
  return Object.fromEntries(Object.entries(values).filter(([key]) => !left.includes(key)))
}

async function refusalOf(check: () => Promise<void>): Promise<Text | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.text
    throw error
  }
}

function textOf(error: ApiError): Text {
  const [text] = Object.values(error.fieldErrors ?? {}).flat()
  return text ?? error.text
}
