import { NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ModelPlan } from '../plan/plan.ts'
import { CellProblem } from '../read/cells.ts'
import type { Stage, StageColumn, StageModel } from '../read/layout.ts'
import { type RowDraft, rowError } from '../read/row-draft.ts'
import type { ImportRowError } from '../result.ts'
import { checkRecords } from './check-records.ts'
import type { Refusal } from './claims.ts'
import { FinalLookups } from './final-lookups.ts'
import type { Lookups } from './lookups.ts'
import { matchUnits } from './match.ts'
import { standsAlone } from './stands-alone.ts'
import { type KeyedRow, type Unit, unitsOf, wavesOf } from './units.ts'
import { writeInParts } from './write-in-parts.ts'
import type { UnitWriter } from './write-units.ts'

/** What the rows of one transaction are read and written with. */
export interface ImportScope {
  readonly lookups: Lookups
  /** The records of a model that the import may update. */
  visible(plan: ModelPlan): QuerySet
  /** All records of a model, which a row's unique fields must not collide with. */
  all(plan: ModelPlan): QuerySet
  /** What a resource has to say of the records of a model. */
  hooks(plan: ModelPlan): ImportHooks
}

/** One try to write some rows, all models of each. */
export class Attempt {
  readonly #scope: ImportScope
  readonly #stage: Stage
  readonly failures = new Map<RowDraft, ImportRowError[]>()
  /** Of these, rows that may have failed because of what another row had said. */
  readonly doubtful = new Set<RowDraft>()
  /** Rows that claim a unique value which others were first to claim. */
  readonly #rivals = new Map<RowDraft, readonly RowDraft[]>()
  /** Those of them that did not get it. */
  readonly #contested = new Set<RowDraft>()
  readonly #drafts: readonly RowDraft[]
  readonly #final: FinalLookups
  created = 0
  updated = 0

  constructor(scope: ImportScope, stage: Stage, drafts: readonly RowDraft[]) {
    this.#scope = scope
    this.#stage = stage
    this.#drafts = drafts
    this.#final = new FinalLookups(scope, stage, drafts)
  }

  /**
   * Writes the rows. Returns the first row that failed after something was written that it alone had said, which has
   * to be undone then; `undefined` when there is none.
   */
  async run(): Promise<RowDraft | undefined> {
    for (const wave of wavesOf(this.#stage, this.#drafts)) {
      for (const { draft, rivals } of wave) if (rivals.length > 0) this.#rivals.set(draft, rivals)
      const written: Unit[] = []
      for (let index = 0; index < this.#stage.models.length; index++) {
        const alive = wave.filter(({ draft }) => !this.failures.has(draft))
        if (alive.length > 0) written.push(...(await this.#write(index, alive)))
      }
      const orphans = written.filter(({ drafts }) => drafts.every(draft => this.failures.has(draft)))
      const rows = orphans.flatMap(unit => unit.drafts)
      if (rows.length > 0) this.#doubtContested(orphans)
      if (rows.length > 0) return rows.reduce((first, draft) => (draft.row < first.row ? draft : first))
    }
    return undefined
  }

  /** Writes the records of one model; returns those that are stored. */
  async #write(index: number, rows: readonly KeyedRow[]): Promise<Unit[]> {
    const model = this.#stage.models[index] as StageModel
    const isLast = index === this.#stage.models.length - 1
    const units = await this.#resolve(model, unitsOf(rows, index))
    const { plan } = model.reader
    const match = async (again: readonly Unit[]) => this.#check(model, await this.#match(model, again))
    const matched = await match(units)
    const stored: Unit[] = []
    const writer: UnitWriter = {
      database: this.#scope.all(plan).database,
      model,
      hooks: this.#scope.hooks(plan),
      visible: this.#scope.visible(plan),
      match,
      refuse: refusal => this.#refuse(model, refusal),
      fail: (unit, field, message, isConflict) => {
        this.#fail(model, unit, headerOf(model, field), message)
        if (isConflict && unit.drafts.some(draft => this.#rivals.has(draft))) this.#doubt(unit)
      },
      written: (unit, outcome) => {
        stored.push(unit)
        if (!isLast) return
        // Rows that say the same of one record: the first has made it, the others have found it so.
        this.created += outcome === 'created' ? 1 : 0
        this.updated += unit.drafts.length - (outcome === 'created' ? 1 : 0)
      },
    }
    await writeInParts(writer, this.#scope.all(plan), matched)
    return stored
  }

  #fail(model: StageModel, { drafts }: Unit, field: string, message: string): void {
    for (const draft of drafts) {
      const errors = this.failures.get(draft) ?? []
      errors.push(rowError(model, draft.row, field, message))
      this.failures.set(draft, errors)
    }
  }

  #doubt({ drafts }: Unit): void {
    for (const draft of drafts) this.doubtful.add(draft)
  }

  /** Takes note of a unit whose unique value another record has. */
  #refuse(model: StageModel, { unit, unique, because }: Refusal): void {
    const { field, message } = takenMessage(model, unique.columns)
    this.#fail(model, unit, field, message)
    for (const draft of unit.drafts) if (this.#rivals.has(draft)) this.#contested.add(draft)
    if (because?.drafts.some(draft => this.#rivals.has(draft))) this.#doubt(unit)
  }

  /** A row that another one was ahead of fails again, unless the other needed what is undone now. */
  #doubtContested(orphans: readonly Unit[]): void {
    const { lookups } = this.#scope
    const isNewOnly = orphans.every(({ key }) => key === undefined)
    const isStored = (draft: RowDraft) =>
      !this.failures.has(draft) && !this.#rivals.has(draft) && standsAlone(this.#stage, lookups, draft)
    for (const draft of this.#contested) {
      if (!isNewOnly || !this.#rivals.get(draft)?.every(isStored)) this.doubtful.add(draft)
    }
  }

  /** Makes the values of units; foreign keys that other rows of the file may lead to are found now. */
  async #resolve(model: StageModel, units: readonly Unit[]): Promise<Unit[]> {
    const { lookups } = this.#scope
    const { columns } = model
    const { fixedValues } = this.#scope.hooks(model.reader.plan)
    const resolved = new Map<StageColumn, ReadonlyMap<unknown, unknown>>()
    for (const [at, column] of columns.entries()) {
      const { lookup } = column.plan
      if (!lookup || lookups.isSteady(lookup)) continue
      const values = new Set(units.map(({ cells }) => cells[at]).filter(value => value !== null && value !== undefined))
      resolved.set(column, await lookups.resolve(lookup, values))
    }
    return units.filter(unit => {
      const values: Record<string, unknown> = {}
      let isWhole = true
      for (let at = 0; at < columns.length; at++) {
        const column = columns[at]!
        const cell = unit.cells[at]
        const found = resolved.get(column)
        const value = found && cell !== null && cell !== undefined ? found.get(cell) : cell
        if (value instanceof CellProblem) {
          this.#fail(model, unit, column.field, value.message)
          if (!this.#final.has(column, cell)) this.#doubt(unit)
          isWhole = false
        }
        values[column.plan.column.key] = value
      }
      unit.values = Object.assign(values, fixedValues)
      return isWhole
    })
  }

  /** Finds the record that each unit updates; returns the units that have one at most. */
  async #match(model: StageModel, units: readonly Unit[]): Promise<Unit[]> {
    const { plan } = model.reader
    const { unique } = plan
    // Locked first: what somebody else changes meanwhile is seen by the second look.
    const visible = await matchUnits(this.#scope.visible(plan), unique, units, 'update')
    const stored = this.#scope.visible(plan).isUnconditional
      ? visible
      : await matchUnits(this.#scope.all(plan), unique, units)
    const taken = takenMessage(model, unique.columns)
    return units.filter(unit => {
      const keys = stored.get(unit) ?? []
      const mine = visible.get(unit) ?? []
      unit.key = mine[0]
      if (mine.length < keys.length) this.#fail(model, unit, taken.field, taken.message)
      else if (mine.length > 1) {
        const message = `Several records have this ${taken.names}; it must be clear which one is meant.`
        this.#fail(model, unit, taken.field, message)
      }
      const isClear = mine.length === keys.length && mine.length <= 1
      if (!isClear) this.#doubt(unit)
      return isClear
    })
  }

  /** What the resource has to say of the records that are found; returns the units that it lets pass. */
  async #check(model: StageModel, units: Unit[]): Promise<Unit[]> {
    const { plan } = model.reader
    const refused = new Set<Unit>()
    await checkRecords(
      model.reader,
      this.#scope.hooks(plan),
      this.#scope.visible(plan),
      units,
      (unit, field, message) => {
        refused.add(unit)
        this.#fail(model, unit, headerOf(model, field), message)
      },
    )
    return refused.size === 0 ? units : units.filter(unit => !refused.has(unit))
  }
}

/** What is said of a value, or of several together, that belongs to another record. */
function takenMessage(model: StageModel, columns: readonly ColumnInfo[]) {
  const concerned = columns.map(
    ({ wire }) => model.columns.find(({ plan }) => plan.column.wire === wire)?.header ?? wire,
  )
  const names = concerned.join(', ')
  const [only] = columns
  if (columns.length === 1 && only) {
    return { names, field: headerOf(model, only.wire), message: 'This field must be unique.' }
  }
  return { names, field: NON_FIELD_ERRORS, message: `The fields ${names} must make a unique set.` }
}

/** What the file calls a column that is known by its name on the wire. */
function headerOf({ columns }: StageModel, wire: string): string {
  return columns.find(({ plan }) => plan.column.wire === wire)?.field ?? wire
}
