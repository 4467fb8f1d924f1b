import fc from 'fast-check'

/** A value as a client sends it, and as it is shown ever after. */
export interface Sample {
  readonly sent: unknown
  readonly shown: unknown
}

const asItIs = (sent: unknown): Sample => ({ sent, shown: sent })

/** Text that a JSON body may hold: NUL and lone surrogates are refused, with tests of their own. */
export function text(maxLength?: number): fc.Arbitrary<string> {
  const constraints = maxLength === undefined ? {} : { maxLength }
  return fc
    .oneof(
      fc.string({ unit: 'grapheme', ...constraints }),
      fc.string({ unit: 'binary', ...constraints }),
      fc.constantFrom(
        '',
        ' ',
        'null',
        '0',
        "it's",
        '"',
        '\\',
        '%',
        '$1',
        '?',
        '\u200f',
        'É',
        '\ufeffx',
        '1e5',
        'a\r\nb',
      ),
    )
    .map(value => [...value.toWellFormed().replaceAll('\0', '')].slice(0, maxLength).join(''))
}

/** Text of a column; its length is counted in characters, not in UTF-16 units. */
export function texts(maxLength?: number): fc.Arbitrary<Sample> {
  const any = maxLength === undefined ? text() : fc.oneof(text(maxLength), fc.constant('😀'.repeat(maxLength)))
  return any.filter(sent => sent.trim() !== '').map(sent => ({ sent, shown: sent.trim() }))
}

export const integers: fc.Arbitrary<Sample> = fc
  .oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(0, -(2 ** 31), 2 ** 31 - 1))
  .map(asItIs)

/** A number up to 2^53 - 1, a string beyond. */
export const bigints: fc.Arbitrary<Sample> = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)),
  )
  .map(value => asItIs(Number.isSafeInteger(Number(value)) ? Number(value) : String(value)))

/** Shown with all digits of its scale, however it is sent: as text or, where that is exact, as a number. */
export function decimals(precision: number, scale: number): fc.Arbitrary<Sample> {
  const limit = 10n ** BigInt(precision) - 1n
  return fc
    .record({
      units: fc.oneof(fc.bigInt({ min: -limit, max: limit }), fc.constantFrom(0n, limit, -limit)),
      form: fc.constantFrom('whole', 'short', 'long', 'number'),
    })
    .map(({ units, form }) => {
      const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
      const whole = digits.slice(0, digits.length - scale)
      const fraction = digits.slice(digits.length - scale)
      const sign = units < 0n ? '-' : ''
      const shown = `${sign}${whole}${scale > 0 ? `.${fraction}` : ''}`
      const short = shown.includes('.') ? shown.replace(/\.?0+$/, '') : shown
      if (form === 'short') return { sent: short, shown }
      if (form === 'long') return { sent: `${sign}00${shown.slice(sign.length)}${scale > 0 ? '00' : '.0'}`, shown }
      // Up to 15 digits a number is written as it was meant; small ones would be written with an exponent.
      if (form === 'number' && precision <= 15 && !/e/.test(String(Number(short))))
        return { sent: Number(short), shown }
      return { sent: shown, shown }
    })
}

export const booleans: fc.Arbitrary<Sample> = fc.boolean().map(asItIs)

/** The year 1 to the year 9999, less a day at both ends for what an offset adds. */
const SECONDS = { min: -62_135_510_400, max: 253_402_214_400 }

/** Shown in UTC with microseconds, whatever the offset and the number of digits it was sent with. */
export const timestamps: fc.Arbitrary<Sample> = fc
  .record({
    seconds: fc.oneof(fc.integer(SECONDS), fc.integer({ min: 0, max: 2 ** 31 })),
    fraction: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
    offset: fc.oneof(fc.constant(null), fc.integer({ min: -18 * 60, max: 18 * 60 })),
    separator: fc.constantFrom('T', ' ', 't'),
  })
  .map(({ seconds, fraction, offset, separator }) => {
    const local = isoSeconds(seconds + (offset ?? 0) * 60).replace('T', separator)
    const zone =
      offset === null ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`
    return {
      sent: `${local}${fraction && `.${fraction}`}${zone}`,
      shown: `${isoSeconds(seconds)}.${fraction.padEnd(6, '0')}Z`,
    }
  })

export const dates: fc.Arbitrary<Sample> = fc.integer(SECONDS).map(seconds => asItIs(isoSeconds(seconds).slice(0, 10)))

/** JSON has no -0, and a whole number beyond 2^53 is a string where JavaScript would write all of its digits. */
export const floats: fc.Arbitrary<Sample> = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.constantFrom(0.1 + 0.2, 1e21, 5e-324))
  .map(value => {
    const shown = Object.is(value, -0) ? 0 : value
    const isLarge = !Number.isSafeInteger(shown) && /^-?\d+$/.test(String(shown))
    return { sent: isLarge ? String(shown) : shown, shown }
  })

/** Shown with seconds, and without zeros at the end of a fraction. */
export const times: fc.Arbitrary<Sample> = fc
  .record({
    hours: fc.integer({ min: 0, max: 23 }),
    minutes: fc.integer({ min: 0, max: 59 }),
    seconds: fc.option(fc.integer({ min: 0, max: 59 })),
    fraction: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 6 }),
  })
  .map(({ hours, minutes, seconds, fraction }) => {
    const start = `${two(hours)}:${two(minutes)}`
    if (seconds === null) return { sent: start, shown: `${start}:00` }
    const digits = fraction.replace(/0+$/, '')
    const whole = `${start}:${two(seconds)}`
    return { sent: whole + (fraction && `.${fraction}`), shown: whole + (digits && `.${digits}`) }
  })

/** Base64. */
export const bytes = (maxLength: number): fc.Arbitrary<Sample> =>
  fc.uint8Array({ maxLength }).map(value => asItIs(Buffer.from(value).toString('base64')))

export const lists = (items: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.array(items, { maxLength: 4 }).map(samples => ({
    sent: samples.map(({ sent }) => sent),
    shown: samples.map(({ shown }) => shown),
  }))

/** Any version, any case in, lower case out. */
export const uuids: fc.Arbitrary<Sample> = fc
  .tuple(fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }), fc.boolean())
  .map(([hex, upper]) => {
    const shown = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    return { sent: upper ? shown.toUpperCase() : shown, shown }
  })

/** Any JSON but null, which is the column's own. */
export const json: fc.Arbitrary<Sample> = fc
  .letrec(tie => ({
    value: fc.oneof({ maxDepth: 4 }, scalar(), fc.array(tie('value'), { maxLength: 4 }), object(tie('value'))),
  }))
  .value.filter(value => value !== null)
  .map(asItIs)

function scalar(): fc.Arbitrary<unknown> {
  // Integers beyond 2^53 are refused where they are written as integers, since few readers keep them.
  const number = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter(value => Number.isSafeInteger(value) || /[.e]/.test(String(value)))
    .map(value => (Object.is(value, -0) ? 0 : value))
  return fc.oneof(fc.constant(null), fc.boolean(), number, text(20))
}

function object(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  // Keys that could change a prototype are refused, with tests of their own. A key with an escape is not always read
  // right by the JSON.parse of whoever reads the answer (nodejs/node#63785).
  const key = text(8).filter(
    name => JSON.stringify(name) === `"${name}"` && !['__proto__', 'constructor', 'prototype'].includes(name),
  )
  return fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true })
}

function isoSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}

function two(value: number): string {
  return String(Math.trunc(value)).padStart(2, '0')
}
