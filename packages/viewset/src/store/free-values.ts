import { randomUUID } from 'node:crypto'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { columnName, tableName } from './select.ts'

/** Where the values of a kind lie on a line of whole numbers. */
interface Line {
  readonly lowest: bigint
  readonly highest: bigint
  place(value: unknown): bigint
  valueAt(place: bigint): unknown
}

/**
 * Values that no row has in a column, all different: what rows hold for a moment. `undefined` for a column of which
 * none can be told; null is for the caller.
 */
export async function freeValues(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  count: number,
): Promise<readonly unknown[] | undefined> {
  const indexes = Array.from({ length: count }, (_, index) => index)
  if (column.kind === 'uuid') return indexes.map(() => randomUUID())
  if (column.kind === 'text') return indexes.map(index => freeText(column.length ?? 36, index))
  const line = lineOf(column)
  if (!line) return undefined
  const [least, most] = await ends(database, model, column, line)
  const size = BigInt(count)
  const first = most + size <= line.highest ? most + 1n : least - size
  if (first < line.lowest) return undefined
  return indexes.map(index => line.valueAt(first + BigInt(index)))
}

/** Unicode's last planes are for private use: nobody's code or name is written in them, however short it is. */
const PRIVATE_USE = 0xf0000
const PRIVATE_USE_SIZE = 0xfffe

function freeText(length: number, index: number): string {
  if (length >= 36) return randomUUID()
  return String.fromCodePoint(PRIVATE_USE + (index % PRIVATE_USE_SIZE)).repeat(length)
}

function lineOf({ kind, bits, precision, scale }: ColumnInfo): Line | undefined {
  switch (kind) {
    case 'integer':
      return wholeNumbers(2n ** BigInt((bits ?? 32) - 1), Number)
    case 'bigint':
      return wholeNumbers(2n ** 63n, place => place)
    case 'decimal':
      return wholeNumbers(10n ** BigInt(precision === undefined ? 15 : precision - (scale ?? 0)), String)
    case 'date':
      return pointsInTime(24 * 60 * 60 * 1000, iso => iso.slice(0, 10))
    case 'timestamp':
      return pointsInTime(1000, iso => `${iso.slice(0, 19)}.000000Z`)
    default:
      return undefined
  }
}

function wholeNumbers(limit: bigint, valueAt: (place: bigint) => unknown): Line {
  const place = (value: unknown) => BigInt(String(value).replace(/\..*$/, ''))
  return { lowest: 1n - limit, highest: limit - 1n, place, valueAt }
}

/** In steps of so many milliseconds, in the years of four digits. */
function pointsInTime(step: number, write: (iso: string) => string): Line {
  const place = (value: unknown) => BigInt(Math.floor(Date.parse(String(value)) / step))
  return {
    lowest: place('1000-01-01'),
    highest: place('9999-12-31'),
    place,
    valueAt: at => write(new Date(Number(at) * step).toISOString()),
  }
}

/** The least and the most of a column, as places that lie outside of all values. */
async function ends(
  database: Database,
  model: ModelInfo,
  column: ColumnInfo,
  line: Line,
): Promise<readonly [bigint, bigint]> {
  const name = columnName(model, column)
  const statement = database.statement(
    `ends ${model.id} ${column.name}`,
    () => `select min(${name}), max(${name}) from ${tableName(model)}`,
  )
  const { rows } = await database.run(statement, [])
  const decode = database.dialect.kindDecoder(column)
  const [least = 0n, most = 0n] = (rows[0] ?? []).map(raw => (raw === null ? 0n : line.place(decode(raw))))
  // A fraction is cut off towards zero, so the next whole number is the one that is outside for sure.
  return [least - 1n, most + 1n]
}
