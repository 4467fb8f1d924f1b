import { kit as c } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { kindOf } from '../../src/kinds/kinds.ts'
import { localeForms } from '../../src/kinds/locale/locale-forms.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { numberFormats } from '../../src/tabular/read/number-format.ts'

// A cell may have a million characters, a text of JSON what the body may have. A pattern that begins anew at each of them would take minutes for one cell, in
// which the process does nothing else; these tests would reach their time limit.
const LENGTH = 200_000

const REPEATED = [
  '1',
  '0',
  '.',
  ',',
  ' ',
  "'",
  '-',
  ':',
  'T',
  'a',
  'e',
  '[',
  '"',
  '/',
  '+',
  '1,',
  '1.',
  ', ',
  'a. ',
  '00:',
]
const TEXTS = REPEATED.flatMap(piece => {
  const long = piece.repeat(LENGTH / piece.length)
  return [`${long}x`, `1.${long}1`, `2026-01-01 10:30${long}p`]
})

const { columns } = modelInfo(
  c.table('things', {
    id: c.uuid().primaryKey(),
    text: c.text(50),
    mood: c.enumeration(['good', 'bad']),
    integer: c.integer(),
    bigint: c.bigint(),
    decimal: c.decimal(12, 3),
    float: c.float(),
    boolean: c.boolean(),
    timestamp: c.timestamp(),
    date: c.date(),
    json: c.json(),
    binary: c.binary(64),
  }),
)

test.each(columns.map(column => [column.name, column] as const))(
  'a cell of %s is read in one pass',
  (_name, column) => {
    const { readCell } = kindOf(column)
    for (const text of TEXTS) readCell?.(text, column)
  },
)

test.each(columns.map(column => [column.name, column] as const))(
  'a %s of JSON is read in one pass',
  (_name, column) => {
    const schema = kindOf(column).schema(column, { timeZone: 'UTC' })
    for (const text of TEXTS) expect(() => schema.safeParse(text)).not.toThrow()
  },
)

test.each(['en-US', 'de', 'fr-CH', 'ja', 'ar'])('a cell in the manner of %s is read in one pass', locale => {
  for (const form of Object.values(localeForms(locale))) for (const text of TEXTS) form.read(text)
})

test('a number format of a workbook is read in one pass', () => {
  for (const text of TEXTS) numberFormats([164], new Map([[164, text]]))
})
