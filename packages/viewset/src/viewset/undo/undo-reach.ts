import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { decodedKeys, decoderOf } from '../../store/row-order.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedColumnsOf } from '../history/change.ts'
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
  /** The steps of records that do not come back. What belonged to such a record is out of reach as well. */
  readonly #away = new Map<ModelInfo, PlannedStep[]>()
  readonly #keysAway = new Map<ListOwner, { readonly size: number; readonly keys: ReadonlySet<string> }>()

  constructor(view: GenericViewSet) {
    this.#view = view
  }

  /** The steps of a model that are in reach. The models of owners come before those of their lists. */
  async within(one: UndoneModel, steps: readonly PlannedStep[]): Promise<ReadonlySet<PlannedStep>> {
    const { isOfResource, isOfLists, lists } = one
    if (!isOfResource && !isOfLists) return new Set(steps)
    const seen = isOfResource
      ? await this.#inSet(await this.#view.getQueryset(), steps)
      : await this.#inLists(lists, steps)
    const fixed = Object.entries(fixedColumnsOf(this.#view))
    const isOfTenant = ({ fixed: own }: ImportedRecord) => fixed.every(([name, value]) => String(own?.[name]) === value)
    const isWithin = (step: PlannedStep) => seen.has(step) && (step.row !== undefined || isOfTenant(step.record))
    return new Set(steps.filter(isWithin))
  }

  /** The stored records of the resource to which the records of lists belong, at any depth. */
  async roots(
    { lists }: UndoneModel,
    steps: readonly PlannedStep[],
  ): Promise<ReadonlyMap<PlannedStep, readonly RawRow[]>> {
    const found = new Map<PlannedStep, RawRow[]>()
    for (const { owner } of lists) {
      if (!owner) continue
      const owners = new Map(steps.map(step => [step, ownersOf(step, owner)]))
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
  leaveAway({ model }: UndoneModel, steps: readonly PlannedStep[]): void {
    const away = this.#away.get(model) ?? []
    for (const step of steps) away.push(step)
    this.#away.set(model, away)
  }

  /** Whether records that have come back are in reach, if their owners are. */
  async hasAll({ isOfResource, lists }: UndoneModel, keys: readonly unknown[]): Promise<boolean> {
    const sets = isOfResource ? [await this.#view.getQueryset()] : lists.map(list => this.#scopeOf(list))
    if (sets.length === 0 || sets.some(({ isUnconditional }) => isUnconditional)) return true
    const found = await Promise.all(sets.map(set => this.#keysIn(set, keys)))
    return keys.every(key => found.some(within => within.has(historyKey(key))))
  }

  async #inLists(lists: readonly UndoneList[], steps: readonly PlannedStep[]): Promise<ReadonlySet<PlannedStep>> {
    const found = new Set<PlannedStep>()
    for (const list of lists) {
      const inScope = await this.#inSet(this.#scopeOf(list), steps)
      for (const step of await this.#owned(list, [...inScope])) found.add(step)
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

  async #owned({ owner }: UndoneList, steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    if (!owner) return steps
    const owners = new Map(steps.map(step => [step, ownersOf(step, owner)]))
    const outside = await this.#outside(owner, [...owners.values()].flat())
    const away = this.#ownersAway(owner)
    return steps.filter(step => {
      const own = (owners.get(step) ?? []).map(historyKey)
      // Of a record that is gone, the owner may be unknown.
      if (own.length === 0) return step.row === undefined
      return !own.some(key => outside.has(key) || away.has(key))
    })
  }

  #ownersAway(owner: ListOwner): ReadonlySet<string> {
    const away = this.#away.get(owner.model) ?? []
    const known = this.#keysAway.get(owner)
    if (known?.size === away.length) return known.keys
    const keys = keysOf(owner, away)
    this.#keysAway.set(owner, { size: away.length, keys })
    return keys
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

/** The records that come back and belonged to records that do not. */
export function orphansAmong(
  { lists }: UndoneModel,
  steps: readonly PlannedStep[],
  away: readonly PlannedStep[],
): ReadonlySet<PlannedStep> {
  if (lists.length === 0 || away.length === 0) return new Set()
  const tests = lists.map(({ owner }) => {
    if (!owner) return () => false
    const keys = keysOf(owner, away)
    return (step: PlannedStep) => ownersOf(step, owner).some(key => keys.has(historyKey(key)))
  })
  return new Set(steps.filter(step => tests.every(isOrphan => isOrphan(step))))
}

function keysOf({ model, key }: ListOwner, steps: readonly PlannedStep[]): ReadonlySet<string> {
  const owners = steps.filter(step => step.model.model === model)
  return new Set(owners.map(({ record }) => historyKey(valueBefore(model, key, record.before))))
}

/** The owner that a record has, and the one that it gets back. Of a record that is gone, its last owner. */
function ownersOf({ model: one, row, values, record }: PlannedStep, { source }: ListOwner): readonly unknown[] {
  const { model, history } = one
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
