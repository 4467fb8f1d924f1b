import { headerKey } from '../plan/headers.ts'
import type { ColumnMatches } from '../read/match-columns.ts'
import type { ColumnReader } from '../read/model-reader.ts'
import type { SheetNames } from '../read/sheet-names.ts'
import type { HeaderReason, PreviewField, PreviewHeader } from './import-preview.ts'
import type { Suggestion } from './suggest-columns.ts'

/** What the columns of a sheet are taken for, and why. */
export function previewHeaders(
  { names, positions, found, mapping }: ColumnMatches,
  suggestions: readonly Suggestion[],
): readonly PreviewHeader[] {
  const fed = new Map<number, ColumnReader[]>()
  for (const [column, [at, ...others]] of found) {
    // Which of several columns with one header is meant, nobody knows.
    if (at !== undefined && others.length === 0) fed.set(at, [...(fed.get(at) ?? []), column])
  }
  const suggested = new Map(suggestions.map(({ at, reason }) => [at, reason]))
  return positions.names().map((header, at): PreviewHeader => {
    const [column, ...others] = fed.get(at) ?? []
    const isMapped = mapping.named.has(at)
    if (!column) return { header, field: null, reason: isMapped ? 'mapping' : null }
    const field = namesTogether([column, ...others], names, [...found.keys()])
    const reason = suggested.get(at) ?? (isMapped ? 'mapping' : reasonOf(header, names.fieldOf(column)))
    return { header, field, reason }
  })
}

/** The fields that no column feeds, each once. */
export function missingFields(
  { names, found }: ColumnMatches,
  isRequired: (column: ColumnReader) => boolean,
): readonly PreviewField[] {
  const missing = new Map<string, boolean>()
  for (const [column, at] of found) {
    if (at.length === 1) continue
    const field = names.fieldOf(column)
    missing.set(field, missing.get(field) || isRequired(column))
  }
  return [...missing].map(([field, required]) => ({ field, required }))
}

/** What a mapping calls columns: by their field where it means these and no others, else one by one. */
function namesTogether(
  columns: readonly ColumnReader[],
  names: SheetNames,
  all: readonly ColumnReader[],
): string | readonly string[] {
  const told = new Set(
    columns.map(column => {
      const field = names.fieldOf(column)
      const isWhole = all.every(other => names.fieldOf(other) !== field || columns.includes(other))
      return isWhole ? field : names.fullNameOf(column)
    }),
  )
  const [first, ...others] = told
  return first !== undefined && others.length === 0 ? first : [...told]
}

function reasonOf(header: string, field: string): HeaderReason {
  if (header === field) return 'exact'
  if (header.toLowerCase() === field.toLowerCase()) return 'case'
  return headerKey(header) === headerKey(field) ? 'separators' : 'configured'
}
