import { expect, test } from 'vitest'
import { english } from '../../src/core/messages/english.ts'
import { french } from '../../src/core/messages/french.ts'
import { german } from '../../src/core/messages/german.ts'
import { japanese } from '../../src/core/messages/japanese.ts'
import type { Translation } from '../../src/core/messages/message.ts'
import { spanish } from '../../src/core/messages/spanish.ts'
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

test.each<[Translation, string]>([
  [english, 'If the row has other changes, it fails.'],
  [german, 'Hat die Zeile andere Änderungen, schlägt sie fehl.'],
  [spanish, 'Si la fila tiene otros cambios, falla.'],
  [french, 'Si la ligne contient d’autres changements, elle échoue.'],
  [japanese, 'この行に他の変更があると、エラーになります。'],
])('the note on the column of marks says that a marked row with other changes fails', (texts, sentence) => {
  const note = texts['template.edit_mark_note']
  expect(typeof note === 'function' && note({ yes: 'Yes' })).toContain(sentence)
})
