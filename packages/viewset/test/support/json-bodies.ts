import fc from 'fast-check'
import { expect } from 'vitest'
import { ValidationError } from '../../src/core/errors.ts'
import { parseJsonBody } from '../../src/core/json/parse-json-body.ts'
import { scan } from '../../src/core/json/scan.ts'

/** What the mutants are made with: whatever the reader refuses, and what is easily mistaken for it. */
const SNIPPETS = [
  ...['__proto__', '"constructor":{"prototype":1}', '\\u0000', '\\ud800', '\\u005f', '\\', '"', '":', '" :', ' ', ':'],
  ...[
    '1e999',
    '1e-400',
    '9007199254740993',
    '.12345678901234567',
    'e5',
    '-',
    '0',
    '{',
    '}',
    '[',
    ']',
    ',',
    '\0',
    '\ufeff',
  ],
  ...[[0xff], [0xed, 0xa0, 0x80], [0xc3]],
].map(snippet => Buffer.from(snippet as string))

/** What the reader of JSON bodies must keep to for any input; the short and the long run share it. */
export const jsonBodyProperties = {
  'any value of safe numbers and well-formed text arrives as it was sent': fc.property(text(), source => {
    expect(parse(source)).toEqual(JSON.parse(source))
  }),

  'bytes changed at random are read as JSON.parse reads them or refused, and change no prototype': fc.property(
    mutant(),
    bytes => {
      const value = accepted(bytes)
      if (value === undefined) return
      const source = new TextDecoder().decode(bytes)
      expect(value).toEqual(JSON.parse(source))
      // The quick look has missed nothing that the exact scan would refuse.
      expect(() => scan(source, 64)).not.toThrow()
      expectPlainPrototypes(value)
    },
  ),

  'a number is taken exactly if it reads back as the same decimal': fc.property(number(), source => {
    const isSafe = /[.e]/i.test(source) || Number.isSafeInteger(Number(source))
    const isKept = isSafe && isSameNumber(source, Number(source))
    expect([source, accepted(`{"n":${source}}`)]).toEqual([source, isKept ? JSON.parse(`{"n":${source}}`) : undefined])
  }),

  'a key is given once': fc.property(fc.array(key(), { minLength: 1, maxLength: 6 }), blanks(), (keys, blank) => {
    const names = keys.map(source => JSON.parse(source) as string)
    const value = accepted(`[{"x":"\\":"},{${keys.map(source => `${source}${blank}:1`).join(',')}}]`)
    expect(value !== undefined).toBe(new Set(names).size === names.length && !names.includes('__proto__'))
  }),
}

function parse(source: string): unknown {
  return parseJsonBody(Buffer.from(source))
}

/** `undefined` where the body is refused. */
function accepted(body: string | Uint8Array): unknown {
  try {
    return parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    expect(Object.keys(error.errors ?? {})).not.toEqual([])
    return undefined
  }
}

function expectPlainPrototypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype)
  for (const item of Object.values(value)) expectPlainPrototypes(item)
}

function text(): fc.Arbitrary<string> {
  const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noDefaultInfinity: true, noNaN: true }).filter(isFloat))
  const string = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.uuid()).filter(isText)
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { withCrossShrink: true },
      number,
      string,
      fc.boolean(),
      fc.constant(null),
      tie('array'),
      tie('object'),
    ),
    array: fc.array(tie('value'), { maxLength: 6 }),
    object: fc.dictionary(
      string.filter(name => name !== '__proto__'),
      tie('value'),
      { maxKeys: 6 },
    ),
  }))
  return fc.tuple(value, fc.constantFrom(undefined, 1, '\t')).map(([any, indent]) => JSON.stringify(any, null, indent))
}

/** Integers beyond 2^53 are refused where `JSON.stringify` writes them as integers. */
function isFloat(value: number): boolean {
  return Number.isSafeInteger(value) || /[.e]/.test(String(value))
}

function isText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

function mutant(): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat(),
    cut: fc.nat({ max: 3 }),
    put: fc.oneof(fc.constantFrom(...SNIPPETS), fc.uint8Array({ maxLength: 2 })),
  })
  return fc.tuple(text(), fc.array(change, { minLength: 1, maxLength: 4 })).map(([source, changes]) =>
    changes.reduce<Uint8Array>((bytes, { at, cut, put }) => {
      const position = at % (bytes.length + 1)
      return Buffer.concat([bytes.subarray(0, position), put, bytes.subarray(position + cut)])
    }, Buffer.from(source)),
  )
}

function number(): fc.Arbitrary<string> {
  const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength })
  return fc
    .record({
      sign: fc.constantFrom('', '-'),
      whole: fc.oneof(digits(3), digits(20)).map(text => text.replace(/^0+(?=.)/, '')),
      fraction: fc.oneof(fc.constant(''), digits(3), digits(20)),
      exponent: fc.oneof(fc.constant(''), fc.integer({ min: -20, max: 20 }), fc.integer({ min: -340, max: 340 })),
      e: fc.constantFrom('e', 'E'),
    })
    .map(({ sign, whole, fraction, exponent, e }) =>
      [sign, whole, fraction && `.${fraction}`, exponent === '' ? '' : `${e}${exponent}`].join(''),
    )
}

/** By integers of any size: an independent reckoning. */
function isSameNumber(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  const [digits, power] = parts(source)
  const [otherDigits, otherPower] = parts(String(value))
  const least = power < otherPower ? power : otherPower
  return digits * 10n ** (power - least) === otherDigits * 10n ** (otherPower - least)
}

function parts(source: string): readonly [bigint, bigint] {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? []
  const digits = BigInt(whole + fraction)
  return [sign ? -digits : digits, BigInt(power.replace('+', '')) - BigInt(fraction.length)]
}

function key(): fc.Arbitrary<string> {
  const name = fc.constantFrom('a', 'b', 'c', 'd', '1', '', '":', 'prototype', 'constructor', '__proto__', 'é', 'a:')
  const hex = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  return fc
    .tuple(name, fc.boolean())
    .map(([name, escaped]) => (escaped ? `"${[...name].map(hex).join('')}"` : JSON.stringify(name)))
}

function blanks(): fc.Arbitrary<string> {
  return fc.constantFrom('', ' ', '\n\t')
}
