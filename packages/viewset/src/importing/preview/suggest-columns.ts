import type { ColumnMatches } from '../read/choose-sheets.ts'
import type { ColumnReader } from '../read/model-reader.ts'

interface FreeName {
  readonly name: BareName
  readonly columns: readonly ColumnReader[]
}

/** A possible name for a column, and its distance from the header: 0 if only separators differ. */
interface Candidate {
  readonly at: number
  readonly columns: readonly ColumnReader[]
  readonly distance: number
}

export interface Suggestion {
  readonly columns: readonly ColumnReader[]
  readonly at: number
  readonly reason: 'separators' | 'near'
}

/**
 * Suggests fields for columns that an import would not find. Each column has at most one field and each field one
 * column. Ties get no suggestion.
 */
export function suggestColumns(matches: ColumnMatches): readonly Suggestion[] {
  const names = freeNames(matches)
  const comparison = new NameComparison()
  const candidates = freePlaces(matches).flatMap(at =>
    candidatesAt(at, bareName(matches.positions.nameOf(at)), names, comparison),
  )
  return candidates
    .filter(candidate => candidates.every(other => other === candidate || isBetter(candidate, other)))
    .map(({ at, columns, distance }) => ({ at, columns, reason: distance === 0 ? 'separators' : 'near' }))
}

function freePlaces({ positions, found, mapping }: ColumnMatches): readonly number[] {
  const taken = new Set([...mapping.named, ...[...found.values()].flat()])
  return positions.unique().filter(at => !taken.has(at))
}

function freeNames({ names, found }: ColumnMatches): readonly FreeName[] {
  const free = new Map<string, { readonly name: BareName; readonly columns: ColumnReader[] }>()
  for (const [column, at] of found) {
    if (at.length > 0) continue
    for (const name of [...names.shownNamesOf(column), names.fullNameOf(column)].map(bareName)) {
      const same = free.get(name.text) ?? { name, columns: [] }
      free.set(name.text, same)
      if (!same.columns.includes(column)) same.columns.push(column)
    }
  }
  return [...free.values()]
}

function candidatesAt(
  at: number,
  header: BareName,
  names: readonly FreeName[],
  comparison: NameComparison,
): readonly Candidate[] {
  const nearest: Candidate[] = []
  for (const { name, columns } of names) {
    const distance = comparison.distance(header, name)
    if (distance === undefined) continue
    const same = nearest.findIndex(candidate => isSameSet(candidate.columns, columns))
    if (same === -1) nearest.push({ at, columns, distance })
    else if (distance < (nearest[same] as Candidate).distance) nearest[same] = { at, columns, distance }
  }
  return nearest
}

/** Whether a candidate beats another one: they do not conflict, or it is nearer. */
function isBetter(candidate: Candidate, other: Candidate): boolean {
  const isApart = other.at !== candidate.at && !other.columns.some(column => candidate.columns.includes(column))
  return isApart || candidate.distance < other.distance
}

function isSameSet(a: readonly ColumnReader[], b: readonly ColumnReader[]): boolean {
  return a.length === b.length && a.every(column => b.includes(column))
}

/** Characters to compare. The rest is ignored. */
const COMPARED = 40
/** Comparisons for one sheet, as a limit against a thousand similar headers. */
const MOST_PAIRS = 3_000

interface BareName {
  readonly text: string
  readonly digits: string
}

function bareName(name: string): BareName {
  const plain = name
    .slice(0, COMPARED * 2)
    .normalize('NFKD')
    .toLowerCase()
  const text = plain.replace(/[^\p{L}\p{N}]/gu, '').slice(0, COMPARED)
  return { text, digits: text.replace(/[^\p{N}]/gu, '') }
}

class NameComparison {
  #left = MOST_PAIRS

  /**
   * The number of different letters of similar names; `undefined` for others. Short names are never similar, and no
   * difference may be a digit: `iso2` and `iso3` are different fields.
   */
  distance(a: BareName, b: BareName): number | undefined {
    if (a.text === b.text) return a.text === '' ? undefined : 0
    const limit = Math.min(3, Math.floor(Math.max(a.text.length, b.text.length) / 4))
    if (limit === 0 || Math.abs(a.text.length - b.text.length) > limit || a.digits !== b.digits) return undefined
    if (this.#left-- <= 0) return undefined
    const distance = editDistance(a.text, b.text, limit)
    return distance > limit ? undefined : distance
  }
}

/** Letters that are added, omitted, wrong or swapped; or any number above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next: number[] = new Array(b.length + 1).fill(limit + 1)
    if (i <= limit) next[0] = i
    // Outside of this band, the distance exceeds the limit.
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        isSwapped ? (before[j - 2] as number) + 1 : limit + 1,
      )
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
