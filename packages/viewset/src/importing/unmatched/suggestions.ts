import { inArray, sql } from 'drizzle-orm'
import { CellProblem } from '../../kinds/cells.ts'
import { has } from '../../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { type Projection, projection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportLookup } from '../plan/plan.ts'
import type { ColumnReader, ModelReader } from '../read/model-reader.ts'
import { readCell } from '../read/read-rows.ts'
import type { SheetColumn } from '../read/sheet-layout.ts'
import type { ForeignKeyLookups } from '../write/write-context.ts'
import { compared, nearTexts } from './near-texts.ts'

/** Records whose texts are compared. Of more, those count that begin with the same letters. */
const COMPARED = 1_000
const SAME_LETTERS = 2

export interface UnmatchedColumn {
  readonly reader: ModelReader
  readonly column: SheetColumn
}

/** For each text, up to three texts of the column that it may stand for. */
export async function suggestionsFor(
  { reader, column }: UnmatchedColumn,
  texts: readonly string[],
  lookups: ForeignKeyLookups | undefined,
): Promise<readonly (readonly string[])[]> {
  // The user may refer to records by this column, and see it.
  if (!reader.sight.shown.includes(column.plan)) return []
  const { lookup } = column.plan
  const known = lookup ? lookups && (await textsOf(lookup, texts, lookups)) : choicesOf(column)
  const candidates = (known ?? []).map(compared)
  return texts.map(text => nearTexts(text, candidates))
}

/** The choices that the rules of a serializer allow too. */
function choicesOf(column: ColumnReader): readonly string[] {
  const { values = [] } = column.plan.column
  return values.filter(value => !(readCell(column, value, { timeZone: 'UTC' }, () => '') instanceof CellProblem))
}

async function textsOf(
  lookup: ImportLookup,
  texts: readonly string[],
  lookups: ForeignKeyLookups,
): Promise<readonly string[]> {
  const { by } = lookup
  if (!has(by, 'text')) return []
  const set = lookups.recordsOf(lookup)
  const all = await firstTexts(set, lookup)
  if (all.length <= COMPARED) return all
  const beginnings = [...new Set(texts.map(text => text.slice(0, SAME_LETTERS).toLowerCase()))]
  const beginning = sql`lower(substr(${by.column}, 1, ${sql.raw(String(SAME_LETTERS))}))`
  return firstTexts(set.filter(inArray(beginning, beginnings)), lookup)
}

const projections = new WeakMap<ColumnInfo, Projection>()

function projectionOf(model: ModelInfo, by: ColumnInfo): Projection {
  const known = projections.get(by) ?? projection(model, [by])
  projections.set(by, known)
  return known
}

async function firstTexts(set: QuerySet, { model, by }: ImportLookup): Promise<readonly string[]> {
  const ordered = set.orderBy([{ by, descending: false }])
  const rows = await ordered.rows(projectionOf(model, by), { limit: COMPARED + 1, offset: 0 })
  const decode = set.database.dialect.decoder(by)
  return rows.map(([value]) => decode(value)).filter(value => typeof value === 'string')
}
