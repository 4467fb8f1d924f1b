import { expect, test } from 'vitest'
import { pgSpelling } from '../../src/inspect/pg-spelling.ts'

const column = (type: string, notNull = true) => ({ name: 'n', type, notNull, default: `nextval('numbers'::regclass)` })
const spelled = (type: string, notNull?: boolean) => {
  const given = column(type, notNull)
  return [pgSpelling.column(given, name => name, undefined), pgSpelling.default(given) ?? null]
}
const { default: next } = column('integer')

test.each([
  ['integer', "serial('n')"],
  ['smallint', "smallserial('n')"],
  ['bigint', "bigserial('n', { mode: 'bigint' })"],
])('a %s that numbers itself has its default by its type', (type, code) => {
  expect(spelled(type)).toEqual([code, null])
})

test('any other column keeps a default that takes numbers from a sequence', () => {
  expect(spelled('numeric')).toEqual(["numeric('n')", next])
  expect(spelled('text')).toEqual(["text('n')", next])
  expect(spelled('integer', false)).toEqual(["integer('n')", next])
  expect(spelled('integer[]')).toEqual(["integer('n').array()", next])
})
