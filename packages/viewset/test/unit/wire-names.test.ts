import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireName } from '../../src/core/wire-names.ts'

const camelCase = fc.stringMatching(/^[a-z][a-z0-9]{0,5}([A-Z][a-z0-9]{0,5}){0,4}$/)

test.each([
  ['id', 'id'],
  ['createdAt', 'created_at'],
  ['nativeName', 'native_name'],
  ['isoCode2', 'iso_code2'],
  ['htmlURL', 'html_u_r_l'],
  ['address2Line', 'address2_line'],
  ['already_snake', 'already_snake'],
  ['', ''],
])('%s is %s on the wire', (name, wire) => {
  expect(wireName(name)).toBe(wire)
})

test('a name on the wire has no capitals, and its own wire name is itself', () => {
  fc.assert(
    fc.property(camelCase, name => {
      const wire = wireName(name)
      expect(wire).toMatch(/^[a-z0-9_]*$/)
      expect(wireName(wire)).toBe(wire)
    }),
  )
})

test('two names in camel case are never one on the wire', () => {
  fc.assert(
    fc.property(camelCase, name => {
      expect(wireName(name).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())).toBe(name)
    }),
  )
})
