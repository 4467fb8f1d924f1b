import { randomBytes } from 'node:crypto'
import type { ColumnInfo, ModelInfo, TableInfo } from '../model/model-info.ts'
import { fillSlugs, type SlugColumn, slugColumns } from '../model/slug-column.ts'
import type { Database } from './connection/database.ts'
import { findMatches } from './find-matches.ts'
import { hasKey } from './row-order.ts'

type Row = Record<string, unknown>

/** New rows with their slugs, if they have none of their own. A slug that is taken gets an ending if the model says so. */
export async function withFreeSlugs<R extends Readonly<Row>>(
  database: Database,
  model: TableInfo,
  rows: readonly R[],
): Promise<readonly R[]> {
  const columns = slugColumns(model)
  if (columns.length === 0) return rows
  const filled = rows.map(row => ({ ...row }))
  await fillFreeSlugs(database, model, filled)
  return filled
}

/** The same in place. */
export async function fillFreeSlugs(database: Database, model: TableInfo, rows: readonly Row[]): Promise<void> {
  for (const column of slugColumns(model)) {
    const derived = rows.filter(row => row[column.key] === undefined)
    for (const row of derived) fillSlugs(model, row)
    if (column.isExtended && hasKey(model)) await extendTaken(database, model as ModelInfo, column, derived, rows)
  }
}

async function extendTaken(
  database: Database,
  model: ModelInfo,
  { key, length }: SlugColumn,
  derived: readonly Row[],
  rows: readonly Row[],
): Promise<void> {
  const wanted = derived.filter(row => typeof row[key] === 'string')
  if (wanted.length === 0) return
  const column = model.byKey.get(key) as ColumnInfo
  const among = model.partialUniques.find(({ columns }) => columns.every(one => one === column))
  const condition = (offset: number) =>
    among?.where ? database.dialect.render(among.where, offset) : { text: undefined, values: [] }
  const matches = await findMatches(
    { database, model, condition },
    wanted.map(row => [row[key]]),
    { columns: [column], ignoreCase: false, returned: [model.primaryKey], lock: undefined },
  )
  const taken = new Set(matches.map(({ position }) => position))
  const seen = new Set(rows.filter(row => !wanted.includes(row)).map(row => row[key]))
  wanted.forEach((row, position) => {
    const slug = String(row[key])
    if (taken.has(position) || seen.has(slug)) row[key] = extended(slug, length)
    seen.add(row[key])
  })
}

const ENDING = 6

/** A random ending: two requests at the same moment get different ones. */
function extended(slug: string, length: number): string {
  const ending = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .slice(0, ENDING)
    .padStart(ENDING, '0')
  return `${[...slug]
    .slice(0, length - ENDING - 1)
    .join('')
    .replace(/-$/, '')}-${ending}`
}
