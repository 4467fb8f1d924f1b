import { expect, test } from 'vitest'
import { MarkReader } from '../../src/importing/edit/marks.ts'

const marks = new MarkReader()

test.each(['yes', ' JA ', 'sí', 'Oui', 'はい', 'x', 1, true])('a mark deletes the record of its row: %s', cell => {
  expect(marks.read(cell)).toBe('deletes')
})

test.each([null, '', ' ', 'no', 'Nein', 0, false])('a record without a mark stays: %s', cell => {
  expect(marks.read(cell)).toBe('stays')
})

test.each(['perhaps', 2, 'yes no', 'xx'])('a mark is unclear: %s', cell => {
  expect(marks.read(cell)).toBe('unclear')
})
