import type { ColumnInfo } from '../../model/model-info.ts'
import type { ImportLinks, ImportLookup } from '../plan/plan.ts'
import { lookedUp } from '../read/cells.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'

/** Rows whose results depend on each other in one model of the sheet: each sees the effects of those before it. */
export interface Meeting {
  readonly model: number
  readonly rows: readonly ImportRow[]
}

export interface RowReference {
  /** The positions of a column and its model. */
  readonly from: number
  readonly column: number
  /** The positions of the target model and of the looked-up column; -1 if files do not have that column. */
  readonly to: number
  readonly by: number
  readonly lookup: ImportLookup
  readonly links: ImportLinks | undefined
  /** Whether at most one record can have a value of the looked-up column. */
  readonly isUnique: boolean
  /** Whether no later row of a found record changes what a lookup finds: not its key, and no column of a scope. */
  readonly isKept: boolean
  /** Whether a row's record has the value of its cell. Not so if a stored record is skipped with other values. */
  readonly hasOwn: boolean
}

/** Rows that write the record with one key. */
interface Provider {
  readonly key: string
  group: number
  readonly rows: ImportRow[]
}

/** A row that looks a value up. `key` is that of its own record with the value, if it has one. */
interface Referrer {
  readonly key: string | undefined
  readonly hasProvider: boolean
  group: number
}

interface Uses {
  readonly providers: Provider[]
  readonly referrers: Referrer[]
  readonly rows: Set<ImportRow>
}

/** Foreign keys and links to records of models that the same sheet writes, by the texts of the cells. */
export class ReferencesAmongRows {
  readonly #references: readonly RowReference[]
  readonly #uses: readonly Map<string, Uses>[]
  readonly #hasSeveral: boolean

  constructor(models: readonly SheetModel[]) {
    this.#hasSeveral = models.length > 1
    this.#references = referencesAmong(models)
    this.#uses = this.#references.map(() => new Map<string, Uses>())
  }

  leadTo(model: number): boolean {
    return this.#references.some(({ to }) => to === model)
  }

  /** Whether a row refers to a record by a value that no cell shows, such as a generated slug. */
  isUnknown({ cells }: ImportRow): boolean {
    return this.#references.some(
      ({ from, column, by, links }) => by === -1 && lookedUp(cells[from]![column], links).length > 0,
    )
  }

  /** The first group that a row may belong to. */
  earliest(row: ImportRow, keys: readonly string[], deletes: boolean): number {
    let group = 0
    const after = (other: { readonly group: number }, distance: number) => {
      group = Math.max(group, other.group + distance)
    }
    for (const [index, reference] of this.#references.entries()) {
      const { from, to, isUnique, isKept, hasOwn } = reference
      const key = keys[to]!
      const own = deletes ? undefined : ownText(reference, row)
      for (const text of lookedUpTexts(reference, row)) {
        const { providers = [] } = this.#uses[index]!.get(text) ?? {}
        // A batch resolves the references of a model before it writes the model.
        if (from === to) for (const provider of providers) after(provider, 1)
        else if (text !== own || !hasOwn)
          for (const provider of providers) after(provider, providers.length > 1 ? 1 : 0)
        else if (!isUnique) for (const provider of providers) after(provider, provider.key === key ? 0 : 1)
      }
      const uses = own === undefined || from === to ? undefined : this.#uses[index]!.get(own)
      const isNew = uses?.providers.every(provider => provider.key !== key)
      for (const referrer of uses?.referrers ?? []) {
        if (referrer.key !== key && (isNew || !isKept || !referrer.hasProvider)) after(referrer, 1)
      }
    }
    return group
  }

  add(row: ImportRow, keys: readonly string[], deletes: boolean, group: number): void {
    for (const [index, reference] of this.#references.entries()) {
      const { from, to, isUnique, hasOwn } = reference
      const own = deletes ? undefined : ownText(reference, row)
      if (own !== undefined) this.#provide(index, own, keys[to]!, group, row)
      for (const text of lookedUpTexts(reference, row)) {
        const { providers, referrers, rows } = this.#usesOf(index, text)
        if (from === to) {
          // With a single model, equal rows fail together.
          if (providers.length > 0 && this.#hasSeveral) rows.add(row)
          continue
        }
        const isOwn = text === own && hasOwn
        if (isOwn && isUnique) continue
        const key = isOwn ? keys[to] : undefined
        const hasProvider = providers.length > 0
        const known = referrers.find(other => other.key === key && other.hasProvider === hasProvider)
        if (known) known.group = Math.max(known.group, group)
        else referrers.push({ key, hasProvider, group })
        if (!isOwn && hasProvider) rows.add(row)
      }
    }
  }

  /** Rows of one group that refer to records of other rows, with those rows. */
  get meetings(): readonly Meeting[] {
    return this.#references.flatMap(({ to }, index) =>
      [...this.#uses[index]!.values()].flatMap(({ providers, rows }) =>
        rows.size === 0 ? [] : [{ model: to, rows: [...rows, ...providers.flatMap(provider => provider.rows)] }],
      ),
    )
  }

  #provide(index: number, text: string, key: string, group: number, row: ImportRow): void {
    const { providers } = this.#usesOf(index, text)
    const known = providers.find(provider => provider.key === key)
    if (!known) providers.push({ key, group, rows: [row] })
    else {
      known.group = Math.max(known.group, group)
      known.rows.push(row)
    }
  }

  #usesOf(index: number, text: string): Uses {
    const uses = this.#uses[index]!.get(text) ?? { providers: [], referrers: [], rows: new Set<ImportRow>() }
    this.#uses[index]!.set(text, uses)
    return uses
  }
}

export function referencesAmong(models: readonly SheetModel[]): readonly RowReference[] {
  return models.flatMap(({ columns }, from) =>
    columns.flatMap(({ plan: { lookup, links } }, column) =>
      models.flatMap(({ reader, columns: candidates }, to): RowReference[] => {
        if (!lookup || reader.plan.model !== lookup.model) return []
        const by = candidates.findIndex(({ plan }) => plan.column === lookup.by && !plan.lookup)
        // The key of a new record is not known before.
        if (by === -1 && lookup.by.primaryKey) return []
        const { model, unique, policy } = reader.plan
        const isOfKey = unique.columns.includes(lookup.by)
        const isKept = isOfKey && lookup.scope === undefined
        const hasOwn = isOfKey || policy.onExisting === 'update'
        return [{ from, column, to, by, lookup, links, isUnique: isUnique(model, lookup), isKept, hasOwn }]
      }),
    ),
  )
}

function isUnique({ key, uniques }: SheetModel['reader']['plan']['model'], { by, ignoreCase }: ImportLookup): boolean {
  const isOnly = (columns: readonly ColumnInfo[]) => columns.length === 1 && columns[0] === by
  return isOnly(key) || uniques.some(unique => isOnly(unique.columns) && (!ignoreCase || unique.ignoreCase))
}

export function lookedUpTexts({ from, column, lookup, links }: RowReference, { cells }: ImportRow): readonly string[] {
  return lookedUp(cells[from]![column], links).map(value => comparable(value, lookup.by, lookup.ignoreCase))
}

export function ownText({ to, by, lookup }: RowReference, { cells }: ImportRow): string | undefined {
  const value = by === -1 ? undefined : cells[to]![by]
  return value === undefined || value === null ? undefined : comparable(value, lookup.by, lookup.ignoreCase)
}
