import { foldCase } from '../../core/fold-case.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { RawRow } from '../../store/driver.ts'
import type { Values } from '../../store/write.ts'
import type { Stage, StageModel } from '../read/layout.ts'
import type { RowDraft } from '../read/row-draft.ts'

/** A record that is to be written for one row, or for several that say the same of it. */
export interface Unit {
  /** What the rows say, by the positions of the model's columns. */
  readonly cells: readonly unknown[]
  readonly drafts: RowDraft[]
  /** What is to be written, once the foreign keys are found. */
  values: Values
  /** The primary key of the stored record that is updated; `undefined` for a new one. */
  key: unknown
  /** That record as it is stored, where somebody wants to see it. Each try to write it makes an object of its own. */
  row: RawRow | undefined
}

/** A row and, for each model of its stage, what tells the record from others. */
export interface KeyedRow {
  readonly draft: RowDraft
  readonly keys: readonly string[]
  /** The rows that were first to claim a unique value which it claims for another record. */
  readonly rivals: readonly RowDraft[]
}

/** Columns in which a row refers to records of its own stage, and where those have the value. */
interface InnerReference {
  /** The model that refers, and its column. */
  readonly from: number
  readonly column: number
  /** The model referred to, and its column; the same model for a reference to itself. */
  readonly to: number
  readonly by: number
}

/**
 * Parts rows so that each part can be written set-wise and the whole comes out as if row had followed row: a part has
 * no two different rows for one record, and no row that refers to a record of its own model in the same part.
 */
export function wavesOf(stage: Stage, drafts: readonly RowDraft[]): readonly (readonly KeyedRow[])[] {
  const { models } = stage
  const references = innerReferences(models)
  const seen = models.map(() => new Map<string, { readonly cells: readonly unknown[]; readonly wave: number }>())
  const provided = references.map(() => new Map<unknown, number>())
  const claimed = new Map<string, Claimant>()
  const waves: KeyedRow[][] = []
  const hasClaims = models.some(({ reader }) => reader.claims.length > 0)
  let earliest = 0
  for (const draft of drafts) {
    const { cells } = draft
    const keys = models.map((model, index) => {
      const { unique, plan } = model.reader
      return keyOf(model, unique, cells[index]!, plan.unique.ignoreCase)
    })
    let wave = earliest
    for (let index = 0; index < models.length; index++) {
      const earlier = seen[index]!.get(keys[index]!)
      if (earlier) wave = Math.max(wave, earlier.wave + (isSame(earlier.cells, cells[index]!) ? 0 : 1))
    }
    for (const [index, { from, column, to }] of references.entries()) {
      const earlier = provided[index]!.get(cells[from]![column])
      if (earlier !== undefined) wave = Math.max(wave, earlier + (from === to ? 1 : 0))
    }
    const rivals = rivalsOf(stage, draft, keys, claimed)
    // What comes behind must not overtake: it may give a value up that this row is refused.
    if (hasClaims) earliest = Math.max(earliest, wave)
    for (let index = 0; index < models.length; index++) seen[index]!.set(keys[index]!, { cells: cells[index]!, wave })
    for (const [index, { to, by }] of references.entries()) provided[index]!.set(cells[to]![by], wave)
    const rows = waves[wave]
    if (rows) rows.push({ draft, keys, rivals })
    else waves.push([{ draft, keys, rivals }])
  }
  return waves
}

/** The row that was the first to claim a unique value, and the record that it claims it for. */
interface Claimant {
  readonly draft: RowDraft
  readonly key: string
}

/** Takes note of the unique values of a row; the rows that have claimed them for other records. */
function rivalsOf(
  { models }: Stage,
  draft: RowDraft,
  keys: readonly string[],
  claimed: Map<string, Claimant>,
): readonly RowDraft[] {
  const { cells } = draft
  const rivals: RowDraft[] = []
  for (const [index, model] of models.entries()) {
    for (const [which, { positions: claim, unique }] of model.reader.claims.entries()) {
      // In SQL, nulls are never the same.
      if (claim.some(at => cells[index]![at] === null || cells[index]![at] === undefined)) continue
      const value = `${index} ${which} ${keyOf(model, claim, cells[index]!, unique.ignoreCase)}`
      const first = claimed.get(value)
      if (!first) claimed.set(value, { draft, key: keys[index]! })
      else if (first.key !== keys[index]) rivals.push(first.draft)
    }
  }
  return rivals
}

function innerReferences(models: readonly StageModel[]): readonly InnerReference[] {
  return models.flatMap(({ columns }, from) =>
    columns.flatMap(({ plan: { lookup } }, column) =>
      models.flatMap(({ reader, columns: candidates }, to) => {
        const by = candidates.findIndex(candidate => candidate.plan.column === lookup?.by)
        return lookup && reader.plan.model === lookup.model && by !== -1 ? [{ from, column, to, by }] : []
      }),
    ),
  )
}

/** The rows of a part as records of one model, each once. */
export function unitsOf(rows: readonly KeyedRow[], model: number): Unit[] {
  const units = new Map<string, Unit>()
  for (const { draft, keys } of rows) {
    const key = keys[model]!
    const known = units.get(key)
    if (known) known.drafts.push(draft)
    else units.set(key, { cells: draft.cells[model]!, drafts: [draft], values: {}, key: undefined, row: undefined })
  }
  return [...units.values()]
}

/** Text that is equal for rows of one record; no text of a cell has a NUL. */
function keyOf(
  { reader: { columns } }: StageModel,
  positions: readonly number[],
  cells: readonly unknown[],
  ignoreCase: boolean,
): string {
  let key = ''
  for (const at of positions) {
    const { column, lookup } = columns[at]!.plan
    key += comparable(cells[at], lookup?.by ?? column, lookup ? lookup.ignoreCase : ignoreCase)
  }
  return key
}

/** Text that is equal for equal values of a column. */
export function comparable(value: unknown, { kind }: ColumnInfo, ignoreCase: boolean): string {
  if (value === null || value === undefined) return '\0n'
  if (value instanceof Date) return `\0v${value.getTime()}`
  const text = String(value)
  if (kind === 'decimal') return `\0v${canonicalDecimal(text)}`
  return `\0v${ignoreCase ? foldCase(text) : text}`
}

function canonicalDecimal(text: string): string {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1')
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.every((value, index) => isEqual(value, b[index]))
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}
