import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sheetNames } from '../../src/tabular/xlsx/write.ts'

test.each([
  ['Cities', 'Cities'],
  ['Q1/Q2 [draft]?', 'Q1 Q2  draft'],
  ["'quoted'", 'quoted'],
  ['', 'Sheet'],
  ['***', 'Sheet'],
  ['History', 'History (2)'],
  ['tab\tand\nline', 'tab and line'],
  ['A name that is much longer than Excel allows', 'A name that is much longer than'],
  [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
])('%j becomes %j', (wanted, name) => {
  expect(sheetNames()(wanted)).toBe(name)
})

test('numbers names that differ in case only', () => {
  const nameFor = sheetNames()
  expect(['A', 'a', 'A', 'A (2)'].map(nameFor)).toEqual(['A', 'a (2)', 'A (3)', 'A (2) (2)'])
})

test('gives names that Excel accepts, each once', () => {
  const wanted = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'A', "'", '/', '[', ' ', '😀', '\0', '東'), maxLength: 40 }),
  )
  fc.assert(
    fc.property(wanted, names => {
      const given = names.map(sheetNames())
      for (const name of given) {
        expect(name).toMatch(/^(?!')[^:\\/?*[\]\p{Cc}]{1,31}(?<!')$/u)
        expect(name.length).toBeLessThanOrEqual(31)
        expect(name.isWellFormed()).toBe(true)
      }
      expect(new Set(given.map(name => name.toLowerCase())).size).toBe(given.length)
    }),
  )
})
