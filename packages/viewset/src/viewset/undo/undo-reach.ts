import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { decodedKeys, decoderOf } from '../../store/row-order.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedColumnsOf } from '../history/change.ts'
import { translationOf } from '../history/translation.ts'
import type { ImportedRecord } from './plan-undo.ts'
import { keyFrom, type PlannedStep, valuesFrom } from './planned-step.ts'
import type { ListOwner, UndoneList } from './undone-lists.ts'
import type { UndoneModel } from './undone-models.ts'

/**
 * Finds the records that the user may see: those of the resource by its queryset, and those of a list by its scope and
 * by their owners. Other records of an import are in reach.
 */
export class UndoReach {
  readonly #view: GenericViewSet
  /** The records that do not come back. What belonged to such a record is out of reach as well. */
  readonly #away: AwayOwners

  constructor(view: GenericViewSet, models: readonly UndoneModel[]) {
    this.#view = view
    this.#away = new AwayOwners(models)
  }

  /** The steps of a model that are in reach. The models of owners come before those of their lists. */
  async within(one: UndoneModel, steps: readonly PlannedStep[]): Promise<ReadonlySet<PlannedStep>> {
    const { isOfResource, isOfLists, lists } = one
    if (!isOfResource && !isOfLists) return new Set(steps)
    const seen = isOfResource
      ? await this.#inSet(await this.#view.getQueryset(), steps)
      : await this.#inLists(one, lists, steps)
    const fixed = Object.entries(fixedColumnsOf(this.#view))
    const isOfTenant = ({ fixed: own }: ImportedRecord) => {
      return fixed.every(([name, value]) => {
        return translationOf(one.history)
          .namesOf(name)
          .some(stored => String(own?.[stored]) === value)
      })
    }
    const isWithin = (step: PlannedStep) => seen.has(step) && (step.row !== undefined || isOfTenant(step.record))
    return new Set(steps.filter(isWithin))
  }

  /** The stored records of the resource to which the records of lists belong, at any depth. */
  async roots(one: UndoneModel, steps: readonly PlannedStep[]): Promise<ReadonlyMap<PlannedStep, readonly RawRow[]>> {
    const found = new Map<PlannedStep, RawRow[]>()
    for (const { owner } of one.lists) {
      if (!owner) continue
      const owners = new Map(steps.map(step => [step, ownersOf(one, step, owner)]))
      const roots = await this.#rootRows(owner, [...owners.values()].flat())
      for (const [step, keys] of owners) {
        const own = keys.map(key => roots.get(historyKey(key))).filter(root => root !== undefined)
        found.set(step, [...(found.get(step) ?? []), ...own])
      }
    }
    return found
  }

  /** The same for owners, by the keys to which their records refer. */
  async #rootRows({ model, key, list }: ListOwner, keys: readonly unknown[]): Promise<ReadonlyMap<string, RawRow>> {
    const rows = await this.#storedRows(model, key, keys)
    const keyOf = (row: RawRow) => historyKey(storedValue(model, key, row))
    if (!list) return new Map(rows.map(row => [keyOf(row), row]))
    const { owner } = list
    if (!owner) return new Map()
    const above = new Map(rows.map(row => [row, storedValue(model, owner.source, row)]))
    const roots = await this.#rootRows(owner, [...above.values()])
    return new Map(
      rows.flatMap(row => {
        const root = roots.get(historyKey(above.get(row)))
        return root ? [[keyOf(row), root]] : []
      }),
    )
  }

  #storedRows(model: ModelInfo, key: ColumnInfo, keys: readonly unknown[]): Promise<readonly RawRow[]> {
    const wanted = new Map(keys.filter(one => one !== undefined).map(one => [historyKey(one), one]))
    return new QuerySet(this.#view.database, model).having(key, [...wanted.values()], ownProjection(model))
  }

  /** Notes records that do not come back, since the user may not see them. */
  leaveAway(one: UndoneModel, steps: readonly PlannedStep[]): void {
    this.#away.add(one, steps)
  }

  /** Whether records that have come back are in reach, if their owners are. */
  async hasAll({ isOfResource, lists }: UndoneModel, keys: readonly unknown[]): Promise<boolean> {
    const sets = isOfResource ? [await this.#view.getQueryset()] : lists.map(list => this.#scopeOf(list))
    if (sets.length === 0 || sets.some(({ isUnconditional }) => isUnconditional)) return true
    const found = await Promise.all(sets.map(set => this.#keysIn(set, keys)))
    return keys.every(key => found.some(within => within.has(historyKey(key))))
  }

  async #inLists(
    one: UndoneModel,
    lists: readonly UndoneList[],
    steps: readonly PlannedStep[],
  ): Promise<ReadonlySet<PlannedStep>> {
    const found = new Set<PlannedStep>()
    for (const list of lists) {
      const inScope = await this.#inSet(this.#scopeOf(list), steps)
      for (const step of await this.#owned(one, list, [...inScope])) found.add(step)
    }
    return found
  }

  /** The steps whose stored records are in a set, and those of deleted records. */
  async #inSet(set: QuerySet, steps: readonly PlannedStep[]): Promise<ReadonlySet<PlannedStep>> {
    if (set.isUnconditional) return new Set(steps)
    const stored = steps.filter(({ row }) => row !== undefined)
    const keys = await this.#keysIn(
      set,
      stored.map(({ id }) => id),
    )
    return new Set(steps.filter(({ row, record }) => row === undefined || keys.has(record.key)))
  }

  async #owned(
    one: UndoneModel,
    { owner }: UndoneList,
    steps: readonly PlannedStep[],
  ): Promise<readonly PlannedStep[]> {
    if (!owner) return steps
    const owners = new Map(steps.map(step => [step, ownersOf(one, step, owner)]))
    const outside = await this.#outside(owner, [...owners.values()].flat())
    const away = this.#away.keysOf(owner)
    return steps.filter(step => {
      const own = (owners.get(step) ?? []).map(historyKey)
      // Of a record that is gone, the owner may be unknown.
      if (own.length === 0) return step.row === undefined
      return !own.some(key => outside.has(key) || away.has(key))
    })
  }

  /** The stored owners that are out of reach. A foreign key refuses records whose owner is not stored. */
  async #outside({ model, key, list }: ListOwner, keys: readonly unknown[]): Promise<ReadonlySet<string>> {
    const { database } = this.#view
    const rows = await this.#storedRows(model, key, keys)
    const set = list ? this.#scopeOf(list) : await this.#view.getQueryset()
    const ids = decodedKeys(database, model, rows, model.columns.indexOf(model.primaryKey))
    const inSet = set.isUnconditional ? undefined : await this.#keysIn(set, ids)
    const above = list?.owner
    const ownersAbove = rows.map(row => (above ? storedValue(model, above.source, row) : undefined))
    const outsideAbove = above ? await this.#outside(above, ownersAbove) : undefined
    const outside = rows.filter((_, at) => {
      if (inSet && !inSet.has(historyKey(ids[at]))) return true
      return outsideAbove && (ownersAbove[at] === undefined || outsideAbove.has(historyKey(ownersAbove[at])))
    })
    return new Set(outside.map(row => historyKey(storedValue(model, key, row))))
  }

  #scopeOf({ model, scope }: UndoneList): QuerySet {
    return new QuerySet(this.#view.database, model).filter(scope?.())
  }

  async #keysIn(set: QuerySet, keys: readonly unknown[]): Promise<ReadonlySet<string>> {
    const { database, model } = set
    const rows = await set.withKeys(keyProjection(model), keys)
    return new Set(decodedKeys(database, model, rows, 0).map(historyKey))
  }
}

/** The keys of records that do not come back, as the records of lists refer to them. */
export class AwayOwners {
  readonly #keys: ReadonlyMap<ListOwner, Set<string>>

  constructor(models: readonly UndoneModel[]) {
    const owners = models.flatMap(({ lists }) => lists.flatMap(({ owner }) => owner ?? []))
    this.#keys = new Map(owners.map(owner => [owner, new Set()]))
  }

  add({ model }: UndoneModel, steps: readonly PlannedStep[]): void {
    for (const [owner, keys] of this.#keys) {
      if (owner.model !== model) continue
      for (const { record } of steps) {
        const key = valueBefore(model, owner.key, record.before)
        if (key !== undefined) keys.add(historyKey(key))
      }
    }
  }

  keysOf(owner: ListOwner): ReadonlySet<string> {
    return this.#keys.get(owner) ?? NO_KEYS
  }

  /** The records that come back and belonged to these. */
  orphansAmong(one: UndoneModel, steps: readonly PlannedStep[]): ReadonlySet<PlannedStep> {
    const { lists } = one
    const isAnyAway = lists.some(({ owner }) => owner && this.keysOf(owner).size > 0)
    if (!isAnyAway) return new Set()
    const isOrphan = (step: PlannedStep, owner: ListOwner) =>
      ownersOf(one, step, owner).some(key => this.keysOf(owner).has(historyKey(key)))
    return new Set(steps.filter(step => lists.every(({ owner }) => owner !== undefined && isOrphan(step, owner))))
  }
}

const NO_KEYS: ReadonlySet<string> = new Set()

/** The owner that a record has, and the one that it gets back. Of a record that is gone, its last owner. */
function ownersOf(
  { model, history }: UndoneModel,
  { row, values, record }: PlannedStep,
  { source }: ListOwner,
): readonly unknown[] {
  const isGone = row === undefined
  const parent = isGone && history.options.parent === source.key ? record.parent : null
  const owners = [
    isGone ? valueBefore(model, source, record.before) : storedValue(model, source, row),
    valueBefore(model, source, values),
  ].filter(owner => owner !== undefined && owner !== null)
  return owners.length === 0 && parent !== null ? [keyFrom({ primaryKey: source }, parent)] : owners
}

function valueBefore(model: ModelInfo, column: ColumnInfo, values: HistoryValues): unknown {
  return column.name in values ? valuesFrom(model, { [column.name]: values[column.name] })[column.key] : undefined
}

/** A value of a row with all columns; `undefined` for NULL. */
function storedValue({ columns, dialect }: ModelInfo, column: ColumnInfo, row: RawRow): unknown {
  const raw = row[columns.indexOf(column)]
  return raw === null || raw === undefined ? undefined : decoderOf(dialect, column)(raw)
}
