import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replaceParameters } from '../../src/core/request.ts'

test.each([
  ['page=2&ordering=name', { page: '3' }, 'ordering=name&page=3'],
  ['page=2&ordering=name', { page: undefined }, 'ordering=name'],
  ['', { page: '2' }, 'page=2'],
  ['', { page: undefined }, ''],
  ['page=2', { page: undefined }, ''],
  ['page=1&page=2', { page: '3' }, 'page=3'],
  ['%70age=2&q=1', { page: '3' }, 'q=1&page=3'],
  ['page+size=2', { 'page size': '3' }, 'page%20size=3'],
  ['q=a%20b+c&flag&x=%zz&%zz=1', { page: '3' }, 'q=a%20b+c&flag&x=%zz&%zz=1&page=3'],
  ['page', { page: '3' }, 'page=3'],
  ['q=page=2', { page: '3' }, 'q=page=2&page=3'],
  ['toString=1&constructor=2&__proto__=3', { page: '2' }, 'toString=1&constructor=2&__proto__=3&page=2'],
  ['a=1', { 'x&y': 'é=&' }, 'a=1&x%26y=%C3%A9%3D%26'],
])('%j with %j is %j', (search, changes, expected) => {
  expect(replaceParameters(search, changes)).toBe(expected)
})

const name = fc.stringMatching(/^[a-z_]{1,8}$/)
const value = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(text => text.isWellFormed())
const pairs = fc.array(fc.tuple(name, value), { maxLength: 8 })
const encode = (parameters: readonly (readonly [string, string])[]) =>
  parameters.map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join('&')

test('every other parameter is kept as it was, in its order; each change stands there once', () => {
  fc.assert(
    fc.property(pairs, fc.dictionary(name, fc.option(value, { nil: undefined }), { maxKeys: 3 }), (before, changes) => {
      const result = [...new URLSearchParams(replaceParameters(encode(before), changes))]
      const kept = before.filter(([key]) => !Object.hasOwn(changes, key))
      const added = Object.entries(changes).filter(([, text]) => text !== undefined)
      expect(result).toEqual([...kept, ...added])
    }),
  )
})

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string(), text => void replaceParameters(text, { page: '2' })))
})
