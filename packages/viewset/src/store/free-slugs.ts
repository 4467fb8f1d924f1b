import { randomBytes } from 'node:crypto'
import type { SQL } from 'drizzle-orm'
import { Conflict, ValidationError } from '../core/errors.ts'
import { slugOf } from '../core/text.ts'
import { kindOf } from '../kinds/kinds.ts'
import { type ColumnInfo, modelInfo, type TableInfo } from '../model/model-info.ts'
import { fillSlugs, isUsable, type SlugColumn, slugColumns, slugFor, slugProblem } from '../model/slug-column.ts'
import type { Database } from './connection/database.ts'
import { columnsOf } from './faults.ts'
import { findMatches } from './find-matches.ts'
import { isSql } from './sql-value.ts'

type Row = Record<string, unknown>

/** The number of times that a write with derived slugs is tried, if other requests take them meanwhile. */
const TRIES = 5

/**
 * Writes new rows with their slugs, if they have none. With `ifTaken: 'extend'`, a slug that is taken gets an ending,
 * also one that another transaction takes during the write.
 *
 * @throws ValidationError for a text that makes no slug
 */
export async function writeWithSlugs<R>(
  database: Database,
  model: TableInfo,
  given: readonly Readonly<Row>[],
  write: (rows: readonly Readonly<Row>[]) => Promise<R>,
): Promise<R> {
  const rows = given.map(row => ({ ...row }))
  const columns = slugColumns(model)
  const exact = columns.filter(({ isExtended }) => !isExtended)
  for (const row of rows) {
    const [unusable] = fillSlugs(exact, row)
    if (unusable) throw new ValidationError({ [unusable.slug.source.wire]: [slugProblem(unusable, false)] })
  }
  const extended = columns.flatMap((slug): readonly DerivedRows[] => {
    const derived = slug.isExtended ? rows.filter(row => slugFor(slug, row) !== undefined) : []
    return derived.length > 0 ? [{ slug, derived }] : []
  })
  if (extended.length === 0) return write(rows)
  for (let tried = 1; ; tried++) {
    for (const each of extended) await fillFree(database, model, each, rows, tried === TRIES)
    try {
      // A refused statement makes a transaction of PostgreSQL unusable. The savepoint lets it go on.
      return await database.transaction(() => write(rows))
    } catch (error) {
      if (tried === TRIES || !isSlugTaken(database, model, extended, error)) throw error
    }
  }
}

interface DerivedRows {
  readonly slug: SlugColumn
  /** The rows that get their slug from a text. */
  readonly derived: readonly Row[]
}

/** `extendsAll` gives each slug an ending: a transaction with a snapshot does not see which ones are taken. */
async function fillFree(
  database: Database,
  model: TableInfo,
  { slug, derived }: DerivedRows,
  rows: readonly Row[],
  extendsAll: boolean,
): Promise<void> {
  const { column, source, length } = slug
  for (const row of derived) {
    const made = slugOf(String(row[source.key]), length)
    row[column.key] = extendsAll || !isUsable(slug, made) ? extended(made, length) : made
  }
  for (const unique of uniquesOf(model, column, rows)) {
    const taken = await takenIn(database, model, unique, column, derived)
    const identity = (row: Row) => JSON.stringify(unique.columns.map(one => kindOf(one).identity(row[one.key])))
    const seen = new Set(rows.filter(row => !derived.includes(row)).map(identity))
    for (const row of derived) {
      if (taken.has(row) || seen.has(identity(row))) row[column.key] = extended(String(row[column.key]), length)
      seen.add(identity(row))
    }
  }
}

interface SlugUnique {
  readonly columns: readonly ColumnInfo[]
  readonly where: SQL | undefined
}

/**
 * The unique constraints of a slug, with the columns whose values all rows have, such as the tenant. Without a
 * constraint, the slug is unique by itself.
 */
function uniquesOf(model: TableInfo, column: ColumnInfo, rows: readonly Row[]): readonly SlugUnique[] {
  const hasValues = ({ key }: ColumnInfo) =>
    rows.every(row => row[key] !== undefined && row[key] !== null && !isSql(row[key]))
  const known = (columns: readonly ColumnInfo[]) => columns.filter(one => one === column || hasValues(one))
  const found = [
    ...model.uniques.map(({ columns }) => ({ columns, where: undefined })),
    ...model.partialUniques.map(({ columns, where }) => ({ columns, where })),
  ].filter(({ columns }) => columns.includes(column))
  if (found.length === 0) return [{ columns: [column], where: undefined }]
  return found.map(({ columns, where }) => ({ columns: known(columns), where }))
}

async function takenIn(
  database: Database,
  model: TableInfo,
  { columns, where }: SlugUnique,
  column: ColumnInfo,
  derived: readonly Row[],
): Promise<ReadonlySet<Row>> {
  const condition = (offset: number) =>
    where ? database.dialect.render(where, offset) : { text: undefined, values: [] }
  const matches = await findMatches(
    { database, model: modelInfo(model.table), condition },
    derived.map(row => columns.map(({ key }) => row[key])),
    { columns, ignoreCase: false, returned: [column], lock: undefined },
  )
  const taken = new Set(matches.map(({ position }) => position))
  return new Set(derived.filter((_, position) => taken.has(position)))
}

function isSlugTaken(
  { dialect }: Database,
  model: TableInfo,
  extended: readonly DerivedRows[],
  error: unknown,
): boolean {
  const fault = error instanceof Conflict ? dialect.fault(error.cause) : undefined
  if (fault?.kind !== 'unique') return false
  const columns = columnsOf(fault, model)
  return extended.some(({ slug }) => columns.includes(slug.column))
}

const ENDING = 6

/** A random ending: two requests at the same moment get different ones. */
function extended(slug: string, length: number): string {
  const ending = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .slice(0, ENDING)
    .padStart(ENDING, '0')
  const start = [...slug]
    .slice(0, Math.max(0, length - ENDING - 1))
    .join('')
    .replace(/-$/, '')
  return start === '' ? ending : `${start}-${ending}`
}
