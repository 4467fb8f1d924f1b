import { ConfigError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import { suggestion } from '../core/suggestion.ts'
import { shownValue, slugOf } from '../core/text.ts'
import type { ColumnInfo, TableInfo } from './model-info.ts'
import { isReserved } from './reserved-values.ts'

// A slug is derived from another value of its row. A default of Drizzle does not see the row, so writes fill it.

interface DerivedSlug {
  readonly from: string
  readonly length: number
  /** Whether a slug that no record can have gets an ending. */
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
  readonly column: ColumnInfo
  readonly source: ColumnInfo
}

const columnsOf = new WeakMap<TableInfo, readonly SlugColumn[]>()

/** @throws ConfigError for a slug of a field that the model lacks, or that is no text */
export function slugColumns(model: TableInfo): readonly SlugColumn[] {
  let known = columnsOf.get(model)
  if (!known) {
    known = model.columns.flatMap((column: ColumnInfo) => {
      const slug = column.createValue && slugs.get(column.createValue)
      if (!slug) return []
      const source = model.byKey.get(slug.from)
      if (source?.kind !== 'text') {
        const texts = model.columns.filter(({ kind }) => kind === 'text').map(({ key }) => key)
        const hint = suggestion(slug.from, texts)
        throw new ConfigError(model.name, 'SlugMixin', `from: "${slug.from}" is no text of "${model.name}"${hint}`)
      }
      return [{ ...slug, column, source }]
    })
    columnsOf.set(model, known)
  }
  return known
}

/** A text that makes no slug: it has no letter or digit, or the slug is reserved. */
export interface UnusableSlug {
  readonly slug: SlugColumn
  /** The slug as the text makes it. */
  readonly made: string
}

/**
 * Fills the slugs of a new row in place. They may be taken: see `free-slugs.ts`.
 *
 * @returns the slugs that no record can have. They stay empty
 */
export function fillSlugs(columns: readonly SlugColumn[], row: Record<string, unknown>): readonly UnusableSlug[] {
  const unusable: UnusableSlug[] = []
  for (const slug of columns) {
    const made = slugFor(slug, row)
    if (made === undefined) continue
    if (isUsable(slug, made)) row[slug.column.key] = made
    else unusable.push({ slug, made })
  }
  return unusable
}

/** The slug that a row gets; `undefined` for a row that has one, or without a text. */
export function slugFor({ column, source, length }: SlugColumn, row: Readonly<Record<string, unknown>>) {
  const text = row[source.key]
  return row[column.key] === undefined && typeof text === 'string' ? slugOf(text, length) : undefined
}

export function isUsable({ column }: SlugColumn, made: string): boolean {
  return made !== '' && !isReserved(column, made)
}

/** The message at the text. `canSend` says whether the client can send a slug in its place. */
export function slugProblem({ slug: { column }, made }: UnusableSlug, canSend: boolean): Message {
  const field = column.wire
  if (made === '') return message(canSend ? 'invalid_slug.empty_or_sent' : 'invalid_slug.empty', { field })
  const value = shownValue(made)
  return message(canSend ? 'invalid_slug.reserved_or_sent' : 'invalid_slug.reserved', { field, value })
}
