import { expect, test } from 'vitest'
import { isClass } from '../../src/core/setting-rules.ts'

class Plain {}
class Extended extends Plain {}

test.each([
  ['a class', Plain],
  ['one that extends another', Extended],
  ['one without a name', class {}],
  ['one that the language brings', Date],
])('%s is a class', (_, value) => {
  expect(isClass(value)).toBe(true)
})

test.each([
  ['an object of a class', new Plain()],
  ['an arrow function', () => true],
  ['an async function', async () => true],
  ['a method', { allow() {} }.allow],
  ['a bound class', Plain.bind(null)],
  // Of all functions, only this kind has a prototype.
  ['a function', Function('return true')],
  ['a text', 'class {}'],
  ['nothing', null],
])('%s is no class', (_, value) => {
  expect(isClass(value)).toBe(false)
})
