import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ValueInfo } from '../../src/kinds/kind.ts'
import { kindOf } from '../../src/kinds/kinds.ts'
import { cases } from '../support/cases.ts'

const CONTEXT = { timeZone: 'UTC' }

/** What a quick check may be asked about, and values near the borders of what it accepts. */
const ASKED: readonly (readonly [ValueInfo, fc.Arbitrary<unknown>])[] = [
  [{ kind: 'text', length: 3 }, fc.string({ unit: 'binary', maxLength: 5 })],
  [{ kind: 'enumeration', values: ['a', 'b'] }, fc.constantFrom('a', 'b', 'c', 'A', 1)],
  [{ kind: 'integer', bits: 16 }, fc.oneof(fc.integer({ min: -40_000, max: 40_000 }), fc.double())],
  [{ kind: 'float' }, fc.double()],
  [{ kind: 'boolean' }, fc.constantFrom(true, false, 'true', 1)],
  [
    { kind: 'uuid' },
    fc.oneof(
      fc.uuid(),
      fc.uuid().map(id => id.toUpperCase()),
    ),
  ],
  [{ kind: 'date' }, days()],
  [{ kind: 'decimal' }, decimals()],
  [{ kind: 'decimal', precision: 5, scale: 2 }, decimals()],
  [{ kind: 'decimal', precision: 3, scale: 0 }, decimals()],
  [{ kind: 'decimal', precision: 3, scale: 3 }, decimals()],
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
  for (const [info, values] of ASKED) {
    const { plainCheck, schema } = kindOf(info)
    const name = [info.kind, info.precision, info.scale].filter(part => part !== undefined).join(' ')

    it(`accepts a value only if the schema keeps it as it is: ${name}`, () => {
      const isPlain = plainCheck?.(info)
      const judge = schema(info, CONTEXT)
      let accepted = 0
      fc.assert(
        fc.property(values, value => {
          if (!isPlain?.(value)) return
          accepted++
          expect(judge.safeParse(value)).toEqual({ success: true, data: value })
        }),
        { numRuns: cases(500) },
      )
      expect(accepted, 'values that it accepted').toBeGreaterThan(0)
    })
  }
})
