import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { decodedKeys, decoderOf } from '../../store/row-order.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedColumnsOf } from '../history/change.ts'
import type { ImportedRecord } from './plan-undo.ts'
import { type PlannedStep, valuesFrom } from './undo-writer.ts'
import type { ListOwner, UndoneList } from './undone-lists.ts'
import type { UndoneModel } from './undone-models.ts'

/**
 * Finds the records that the user may see: those of the resource by its queryset, and those of a list by its scope and
 * by their owners. Other records of an import are in reach.
 */
export class UndoReach {
  readonly #view: GenericViewSet
  /** Steps out of reach of deleted records. What belonged to such a record is out of reach as well. */
  readonly #away: PlannedStep[] = []

  constructor(view: GenericViewSet) {
    this.#view = view
  }

  /** The steps of a model that are in reach. The models of owners come before those of their lists. */
  async within(one: UndoneModel, steps: readonly PlannedStep[]): Promise<ReadonlySet<PlannedStep>> {
    const { isOfResource, lists } = one
    if (!isOfResource && lists.length === 0) return new Set(steps)
    const seen = isOfResource
      ? await this.#inSet(await this.#view.getQueryset(), steps)
      : await this.#inLists(lists, steps)
    const fixed = Object.entries(fixedColumnsOf(this.#view))
    const isOfTenant = ({ fixed: own }: ImportedRecord) => fixed.every(([name, value]) => String(own?.[name]) === value)
    const isWithin = (step: PlannedStep) => seen.has(step) && (step.row !== undefined || isOfTenant(step.record))
    this.#away.push(...steps.filter(step => step.row === undefined && !isWithin(step)))
    return new Set(steps.filter(isWithin))
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
    const owners = new Map(steps.map(step => [step, ownersOf(step, owner.source)]))
    const keys = new Map([...owners.values()].flat().map(key => [historyKey(key), key]))
    const outside = await this.#outside(owner, [...keys.values()])
    const away = awayKeys(owner, this.#away)
    return steps.filter(step => {
      const own = (owners.get(step) ?? []).map(historyKey)
      return own.length > 0 && !own.some(key => outside.has(key) || away.has(key))
    })
  }

  /** The stored owners that are out of reach. A foreign key refuses records whose owner is not stored. */
  async #outside({ model, key, list }: ListOwner, keys: readonly unknown[]): Promise<ReadonlySet<string>> {
    const { database } = this.#view
    const rows = await new QuerySet(database, model).having(key, keys, ownProjection(model))
    const set = list ? this.#scopeOf(list) : await this.#view.getQueryset()
    const ids = decodedKeys(database, model, rows, model.columns.indexOf(model.primaryKey))
    const inSet = set.isUnconditional ? undefined : await this.#keysIn(set, ids)
    const above = list?.owner
    const ownersAbove = rows.map(row => (above ? storedValue(model, above.source, row) : undefined))
    const known = ownersAbove.filter(value => value !== undefined)
    const outsideAbove = above ? await this.#outside(above, known) : undefined
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
    const keys = awayKeys(owner, away)
    return (step: PlannedStep) => ownersOf(step, owner.source).some(key => keys.has(historyKey(key)))
  })
  return new Set(steps.filter(step => tests.every(isOrphan => isOrphan(step))))
}

function awayKeys({ model, key }: ListOwner, away: readonly PlannedStep[]): ReadonlySet<string> {
  const owners = away.filter(step => step.model.model === model)
  return new Set(owners.map(({ values }) => historyKey(valuesFrom(model, values)[key.key])))
}

/** The owner that a record has, and the one that it gets back. */
function ownersOf({ model: { model }, row, values }: PlannedStep, source: ColumnInfo): readonly unknown[] {
  const stored = row && storedValue(model, source, row)
  const before = source.name in values ? valuesFrom(model, { [source.name]: values[source.name] })[source.key] : null
  return [stored, before].filter(owner => owner !== undefined && owner !== null)
}

/** A value of a row with all columns; `undefined` for NULL. */
function storedValue({ columns, dialect }: ModelInfo, column: ColumnInfo, row: RawRow): unknown {
  const raw = row[columns.indexOf(column)]
  return raw === null || raw === undefined ? undefined : decoderOf(dialect, column)(raw)
}
