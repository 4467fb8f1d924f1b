import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headerFingerprint } from '../../src/importing/saved/header-fingerprint.ts'

const header = fc
  .array(fc.constantFrom('a', 'b', 'Ä', 'é'), { minLength: 1, maxLength: 4 })
  .map(letters => letters.join(''))
const headers = fc.uniqueArray(header, { minLength: 1, maxLength: 8, selector: text => text.toLowerCase() })
const of = (columns: readonly string[], name = '') => headerFingerprint([{ name, header: columns }])

test('headers have one fingerprint in any order, letter case and normal form, and with outer blanks', () => {
  const rewritten = headers.chain(columns =>
    fc.record({
      columns: fc.constant(columns),
      others: fc
        .shuffledSubarray(columns, { minLength: columns.length })
        .chain(shuffled =>
          fc.tuple(
            ...shuffled.map(text =>
              fc.constantFrom(text, text.toUpperCase(), text.toLowerCase(), ` ${text} `, text.normalize('NFD')),
            ),
          ),
        ),
    }),
  )
  fc.assert(fc.property(rewritten, ({ columns, others }) => of(columns) === of(others, 'Sheet')))
})

test('other headers have another fingerprint', () => {
  const key = (columns: readonly string[]) => JSON.stringify(columns.map(text => text.toLowerCase()).toSorted())
  fc.assert(fc.property(headers, headers, (some, others) => (of(some) === of(others)) === (key(some) === key(others))))
})

test('columns without a header are known by their place', () => {
  expect(of(['a', '', 'b'])).not.toBe(of(['a', 'b', '']))
  expect(of(['a', ''])).not.toBe(of(['a']))
  expect(of(['a', 'a', 'b'])).not.toBe(of(['a', 'b', 'b']))
})

test('several sheets are known by their names too, in any order', () => {
  const one = { name: 'One', header: ['a'] }
  const two = { name: 'Two', header: ['b'] }
  expect(headerFingerprint([one, two])).toBe(headerFingerprint([two, { ...one, name: 'ONE' }]))
  expect(headerFingerprint([one, two])).not.toBe(headerFingerprint([one, { ...two, name: 'Three' }]))
})
