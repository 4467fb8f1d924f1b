import { leadingErrors } from '../failed/failed-rows.ts'
import { type HeaderAliases, headerKey, ownHeader } from '../plan/headers.ts'
import { isInFile } from '../plan/plan.ts'
import type { ColumnReader, ModelReader } from './model-reader.ts'

export class SheetNames {
  readonly #isFlat: boolean
  readonly #aliases: HeaderAliases
  readonly #models = new Map<ColumnReader, string>()
  readonly #spelled: ReadonlySet<string>
  readonly #fields: ReadonlySet<string>

  /** @param isFlat whether each row of the sheet feeds all models */
  constructor(readers: readonly ModelReader[], isFlat: boolean, aliases: HeaderAliases) {
    this.#isFlat = isFlat
    this.#aliases = aliases
    for (const { plan, columns } of readers) for (const column of columns) this.#models.set(column, plan.key)
    const columns = [...this.#models.keys()].filter(({ plan }) => isInFile(plan))
    this.#spelled = new Set(columns.flatMap(({ plan }) => plan.spellings.map(headerKey)))
    this.#fields = new Set(columns.map(column => headerKey(this.fieldOf(column))))
  }

  fieldOf({ plan }: ColumnReader): string {
    return this.#isFlat ? plan.flatHeader : plan.header
  }

  /** The same, with its model if another column that means the same has this name. */
  fullNameOf(column: ColumnReader): string {
    return `${this.#models.get(column)}.${column.plan.header}`
  }

  /** The headers of a column in order of precedence, in the form of {@link headerKey}. */
  keysOf(column: ColumnReader): readonly string[] {
    const spelled = column.plan.spellings.map(headerKey)
    const field = headerKey(this.fieldOf(column))
    const { label, paths = [] } = this.#aliases.get(column.plan) ?? {}
    const others = [this.fullNameOf(column), ...(label ? [label] : []), ...paths].map(headerKey)
    // Without names that belong to another column.
    return [
      ...spelled,
      ...(this.#spelled.has(field) && !column.plan.isSourceField ? [] : [field]),
      ...others.filter(name => !this.#fields.has(name) && !this.#spelled.has(name)),
    ]
  }

  /** The template's header is first. */
  shownNamesOf(column: ColumnReader): readonly string[] {
    const { label } = this.#aliases.get(column.plan) ?? {}
    const field = this.fieldOf(column)
    const names = [
      ...column.plan.spellings,
      ...(this.#spelled.has(headerKey(field)) && !column.plan.isSourceField ? [] : [field]),
    ]
    const own = ownHeader(column.plan, this.#isFlat)
    const all = [own, ...names, ...(label === undefined ? [] : [label])]
    // Names that differ only in case help no reader.
    const keys = all.map(headerKey)
    return all.filter((_, at) => keys.indexOf(keys[at]!) === at)
  }
}

export class HeaderPositions {
  readonly #header: readonly string[]
  /** The position of the column with the place 1. */
  readonly #first: number
  readonly #positions = new Map<string, number[]>()

  constructor(header: readonly string[]) {
    this.#header = header
    this.#first = leadingErrors(header)
    for (const [at, name] of header.entries()) {
      const key = headerKey(name)
      if (key !== '') this.#positions.set(key, [...(this.#positions.get(key) ?? []), at])
    }
  }

  /** The columns with a header, or the column at a place: `(column 3)`. */
  find(header: string): readonly number[] {
    const found = this.#positions.get(headerKey(header)) ?? []
    const [, place] = /^\(column (\d+)\)$/.exec(header.trim()) ?? []
    const at = this.#first + Number(place) - 1
    return found.length === 0 && at >= this.#first && at in this.#header ? [at] : found
  }

  nameOf(at: number): string {
    return this.#header[at]?.trim() || this.placeOf(at)
  }

  placeOf(at: number): string {
    return `(column ${at - this.#first + 1})`
  }

  unique(): readonly number[] {
    return [...this.#positions.values()].flatMap(at => (at.length === 1 ? at : []))
  }

  names(): readonly string[] {
    return this.#header.map((_, at) => this.nameOf(at))
  }
}
