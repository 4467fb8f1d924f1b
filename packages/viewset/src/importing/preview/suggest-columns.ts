import type { ColumnMatches } from '../read/match-columns.ts'
import type { ColumnReader } from '../read/model-reader.ts'
import { type BareName, bareName, NameComparison } from './near-names.ts'

/** A name of fields that no column of the sheet has yet. */
interface FreeName {
  readonly name: BareName
  readonly columns: readonly ColumnReader[]
}

/** A column of a sheet that could have a name, and how far its header is off: 0 where only separators differ. */
interface Candidate {
  readonly at: number
  readonly columns: readonly ColumnReader[]
  readonly distance: number
}

/** A column of a sheet that is taken for one that has another name. */
export interface Suggestion {
  readonly columns: readonly ColumnReader[]
  readonly at: number
  readonly reason: 'separators' | 'near'
}

/**
 * What the columns of a sheet that an import would not find may be. Each is for one field and each field has one; where
 * two are equally near, none is suggested.
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

/** Columns with a header of their own, of which nothing is known. */
function freePlaces({ positions, found, mapping }: ColumnMatches): readonly number[] {
  const taken = new Set([...mapping.named, ...[...found.values()].flat()])
  return positions.unique().filter(at => !taken.has(at))
}

function freeNames({ names, found }: ColumnMatches): readonly FreeName[] {
  const free = new Map<string, { readonly name: BareName; readonly columns: ColumnReader[] }>()
  for (const [column, at] of found) {
    if (at.length > 0) continue
    for (const name of [...names.toldNamesOf(column), names.fullNameOf(column)].map(bareName)) {
      const same = free.get(name.text) ?? { name, columns: [] }
      free.set(name.text, same)
      if (!same.columns.includes(column)) same.columns.push(column)
    }
  }
  return [...free.values()]
}

/** What a header may mean: of several names of the same fields, the nearest. */
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

/** Whether a candidate may stand in spite of another one: they do not meet, or it is nearer. */
function isBetter(candidate: Candidate, other: Candidate): boolean {
  const isApart = other.at !== candidate.at && !other.columns.some(column => candidate.columns.includes(column))
  return isApart || candidate.distance < other.distance
}

function isSameSet(a: readonly ColumnReader[], b: readonly ColumnReader[]): boolean {
  return a.length === b.length && a.every(column => b.includes(column))
}
