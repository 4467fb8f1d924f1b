import type { ColumnInfo } from '../../model/model-info.ts'
import type { Cell } from '../../tabular/table.ts'
import { CellProblem } from '../read/cells.ts'
import type { ColumnReader } from '../read/model-reader.ts'
import { readCell } from '../read/read-rows.ts'

const NUMBERS = [1, 0, 2, 5, 10, 50, 100, 1_000, -1, 1_000_000]
const WORDS = ['Example', 'example', 'EXAMPLE', 'Text', 'text', 'TEXT', 'Abc', 'abc', 'ABC', 'Ab', 'ab', 'AB', 'A', 'a']
const CODES = ['1', '12', '123', '1234', '12345', '123456', 'A1', 'A-1', '+4930123456', 'example-1']
const ADDRESSES = ['name@example.org', 'a@b.org', 'https://example.org', 'example.org']

/** The values that a column's own rules accept; where none is known, none where that will do. */
export function fittingValues(column: ColumnReader): readonly Cell[] {
  const { lookup, column: info, required } = column.plan
  const values = exampleValues(lookup?.by ?? info)
  const fitting = values.filter(value => !(readExample(column, value) instanceof CellProblem))
  return fitting.length > 0 || !required ? fitting : values.slice(0, 1)
}

/** What an example will be read as. */
export function readExample(column: ColumnReader, example: Cell): unknown {
  // A transform that makes nothing of a value that we thought of has no mistake for the log.
  return readCell(column, typeof example === 'bigint' ? String(example) : example, () => '')
}

/** Values that a column may take, those that tell most of it first. */
function exampleValues({ kind, key, length = Number.POSITIVE_INFINITY, scale, values }: ColumnInfo): readonly Cell[] {
  switch (kind) {
    case 'integer':
    case 'bigint':
      return NUMBERS
    case 'float':
      return [1.5, 0.5, ...NUMBERS]
    case 'decimal':
      return [...(scale ? [`0.${'5'.padEnd(scale, '0')}`] : []), ...NUMBERS.map(String)]
    case 'boolean':
      return [true, false]
    case 'date':
      return ['2026-01-15', '2000-01-15', '2050-01-15']
    case 'timestamp':
      return ['2026-01-15T10:30:00Z', '2000-01-15T10:30:00Z', '2050-01-15T10:30:00Z']
    case 'uuid':
      return ['01900000-0000-7000-8000-000000000001', '7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11']
    case 'enumeration':
      return values ?? []
    case 'json':
      return ['{}', '[]', '""', '1']
    default:
      return textValues(key).filter(text => text.length <= length)
  }
}

function textValues(key: string): readonly string[] {
  const words = [...WORDS, ...CODES]
  return /email|url|link|site/i.test(key) ? [...ADDRESSES, ...words] : [...words, ...ADDRESSES]
}
