import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { noSuchRecord, severalSuchRecords } from '../../model/no-such-record.ts'
import { QuerySet } from '../../store/queryset.ts'
import type { ImportDiff } from '../diff.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ImportLookup, ModelPlan } from '../plan/plan.ts'

export interface WriteContext {
  readonly lookups: ForeignKeyLookups
  /** With a diff, records are read before and after each write. */
  readonly diff: { value: ImportDiff } | undefined
  readonly failOnWarnings: boolean
  readonly reading: ReadContext
  /** Whether the rows delete their records at once, in any order: those of an edited file. */
  readonly deletesTogether?: boolean
  /** Whether the import has deleted all records of a model that it may change. */
  isReplaced(plan: ModelPlan): boolean
  visible(plan: ModelPlan): QuerySet
  /** All records of a model. A row's unique fields must not collide with them. */
  all(plan: ModelPlan): QuerySet
  hooks(plan: ModelPlan): ImportHooks
}

/** Stored records, for a file that writes none. */
export function storedIn(queryset: QuerySet, mainModel: ModelPlan): Pick<WriteContext, 'all' | 'lookups'> {
  return { all: ({ model }) => new QuerySet(queryset.database, model), lookups: lookupsIn(queryset, mainModel, []) }
}

/** @param changing the models whose records the file writes */
export function lookupsIn(queryset: QuerySet, mainModel: ModelPlan, changing: readonly ModelPlan[]): ForeignKeyLookups {
  const visible = queryset.filter(mainModel.scope?.())
  const rowsOf = (model: ModelInfo) => (model === mainModel.model ? visible : new QuerySet(queryset.database, model))
  return new ForeignKeyLookups(rowsOf, new Set(changing.map(({ model }) => model)))
}

/** If a foreign key has more cached values, its cache is emptied. */
const MAX_CACHED = 20_000

export class ForeignKeyLookups {
  readonly #rows: (model: ModelInfo) => QuerySet
  /** Models whose records the import changes. Results for them are not cached. */
  readonly #changing: ReadonlySet<ModelInfo>
  readonly #known = new Map<ImportLookup, Map<unknown, unknown>>()

  constructor(rows: (model: ModelInfo) => QuerySet, changing: ReadonlySet<ModelInfo>) {
    this.#rows = rows
    this.#changing = changing
  }

  isUntouched({ model }: ImportLookup): boolean {
    return !this.#changing.has(model)
  }

  /** The records that rows may refer to. */
  recordsOf({ model, scope }: ImportLookup): QuerySet {
    return this.#rows(model).filter(scope?.())
  }

  /** A {@link CellProblem} if no record has the value, or several. */
  async resolve(lookup: ImportLookup, values: ReadonlySet<unknown>): Promise<ReadonlyMap<unknown, unknown>> {
    if (!this.isUntouched(lookup)) return this.#find(lookup, [...values])
    let known = this.#known.get(lookup)
    if (!known || known.size > MAX_CACHED) {
      known = new Map()
      this.#known.set(lookup, known)
    }
    const unknown = [...values].filter(value => !known.has(value))
    for (const [value, found] of await this.#find(lookup, unknown)) known.set(value, found)
    return known
  }

  /** The looked-up values of records, by their keys as text. Records out of scope are missing. */
  async namesOf(lookup: ImportLookup, keys: readonly unknown[]): Promise<ReadonlyMap<string, unknown>> {
    const { by, target } = lookup
    const distinct = [...new Map(keys.map(key => [String(key), key])).values()]
    const tuples = distinct.map(key => [key])
    const matches = await this.recordsOf(lookup).matches([target], tuples, false, by)
    return new Map(matches.map(({ position, key }) => [String(distinct[position]), key]))
  }

  async #find(lookup: ImportLookup, values: readonly unknown[]): Promise<Map<unknown, unknown>> {
    const { model, by, ignoreCase, target } = lookup
    const tuples = values.map(value => [value])
    const matches = await this.recordsOf(lookup).matches([by], tuples, ignoreCase, target)
    const found = new Map<unknown, unknown>()
    for (const { position, key } of matches) {
      const value = values[position]
      found.set(value, found.has(value) ? new CellProblem(severalSuchRecords(model, by, value)) : key)
    }
    for (const value of values) {
      if (!found.has(value)) found.set(value, new CellProblem(noSuchRecord(model, by, value)))
    }
    return found
  }
}
