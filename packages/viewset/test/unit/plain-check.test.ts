import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueInfo } from '../../src/kinds/kind.ts'
import { kindOf } from '../../src/kinds/kinds.ts'
import { cases } from '../support/cases.ts'

const CONTEXT = { timeZone: 'UTC' }

interface Asked {
  readonly info: ValueInfo
  /** A value that the quick check accepts. */
  readonly plain: unknown
  /** Values near the borders of what it accepts. */
  readonly values: fc.Arbitrary<unknown>
}

const ASKED: readonly Asked[] = [
  { info: { kind: 'text', length: 3 }, plain: 'abc', values: fc.string({ unit: 'binary', maxLength: 5 }) },
  {
    info: { kind: 'enumeration', values: ['a', 'b'] },
    plain: 'a',
    values: fc.constantFrom('a', 'b', 'c', 'A', 1),
  },
  {
    info: { kind: 'integer', bits: 16 },
    plain: 32_767,
    values: fc.oneof(fc.integer({ min: -40_000, max: 40_000 }), fc.double()),
  },
  { info: { kind: 'float' }, plain: 0.5, values: fc.double() },
  { info: { kind: 'boolean' }, plain: true, values: fc.constantFrom(true, false, 'true', 1) },
  {
    info: { kind: 'uuid' },
    plain: '0190a5b0-7c1e-7000-8000-0123456789ab',
    values: fc.oneof(
      fc.uuid(),
      fc.uuid().map(id => id.toUpperCase()),
    ),
  },
  { info: { kind: 'date' }, plain: '2024-02-28', values: days() },
  { info: { kind: 'decimal' }, plain: '-12.5', values: decimals() },
  { info: { kind: 'decimal', precision: 5, scale: 2 }, plain: '123.45', values: decimals() },
  { info: { kind: 'decimal', precision: 3, scale: 0 }, plain: '123', values: decimals() },
  { info: { kind: 'decimal', precision: 3, scale: 3 }, plain: '0.123', values: decimals() },
]

function days(): fc.Arbitrary<string> {
  const digits = (most: number, length: number) => fc.nat(most).map(n => String(n).padStart(length, '0'))
  return fc
    .tuple(fc.constantFrom('0000', '0001', '2023', '2024', '9999', '10000'), digits(13, 2), digits(32, 2))
    .map(parts => parts.join('-'))
}

function decimals(): fc.Arbitrary<unknown> {
  const digits = fc.oneof(fc.constantFrom('', '0', '00'), fc.stringMatching(/^[0-9]{0,7}$/))
  const written = fc.tuple(fc.constantFrom('', '-', '+', ' '), digits, fc.constantFrom('', '.'), digits)
  return fc.oneof(
    written.map(parts => parts.join('')),
    fc.double(),
    fc.constantFrom('NaN', '1e3', '1\n'),
  )
}

describe('the quick check of a kind', () => {
  for (const { info, plain, values } of ASKED) {
    const { plainCheck, schema } = kindOf(info)
    const isPlain = plainCheck?.(info)
    const name = [info.kind, info.precision, info.scale].filter(part => part !== undefined).join(' ')

    it(`accepts a plain value: ${name}`, () => {
      expect(isPlain?.(plain)).toBe(true)
    })

    it(`accepts a value only if the schema keeps it as it is: ${name}`, () => {
      const judge = schema(info, CONTEXT)
      fc.assert(
        fc.property(values, value => {
          if (isPlain?.(value)) expect(judge.safeParse(value)).toEqual({ success: true, data: value })
        }),
        { numRuns: cases(500), examples: [[plain]] },
      )
    })
  }
})
