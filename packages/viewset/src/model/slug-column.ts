import { ConfigError } from '../core/errors.ts'
import { slugOf } from '../core/text.ts'
import type { ColumnInfo, TableInfo } from './model-info.ts'

// A slug is derived from another value of its row. A default of Drizzle does not see the row, so writes fill it.

interface DerivedSlug {
  readonly from: string
  readonly length: number
  /** Whether a slug that is taken gets an ending. */
  readonly isExtended: boolean
}

/** By the default functions of `SlugMixin()`, by which a column of the kit is known. */
const slugs = new WeakMap<() => unknown, DerivedSlug>()

/** The default of a slug column. By itself it makes no value. */
export function derivedSlug(slug: DerivedSlug): () => undefined {
  const none = () => undefined
  slugs.set(none, slug)
  return none
}

export interface SlugColumn extends DerivedSlug {
  readonly key: string
}

const columnsOf = new WeakMap<TableInfo, readonly SlugColumn[]>()

/** @throws ConfigError for a slug of a field that the model lacks, or that is no text */
export function slugColumns(model: TableInfo): readonly SlugColumn[] {
  let known = columnsOf.get(model)
  if (!known) {
    known = model.columns.flatMap((column: ColumnInfo) => {
      const slug = column.createValue && slugs.get(column.createValue)
      if (!slug) return []
      if (model.byKey.get(slug.from)?.kind !== 'text') {
        throw new ConfigError(model.name, 'SlugMixin', `from: "${slug.from}" is no text of "${model.name}"`)
      }
      return [{ ...slug, key: column.key }]
    })
    columnsOf.set(model, known)
  }
  return known
}

type Row = Readonly<Record<string, unknown>>

/** Fills the slugs of a new row in place. They may be taken: see `free-slugs.ts`. */
export function fillSlugs(model: TableInfo, row: Record<string, unknown>): void {
  const columns = slugColumns(model)
  if (columns.length > 0) Object.assign(row, slugsOf(columns, row))
}

function slugsOf(columns: readonly SlugColumn[], row: Row): Row {
  const filled: Record<string, string> = {}
  for (const { key, from, length } of columns) {
    const source = row[from]
    if (row[key] === undefined && typeof source === 'string') filled[key] = slugOf(source, length)
  }
  return filled
}
