import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { timestampNow } from '../../src/core/clock.ts'
import { readTimestamp } from '../../src/kinds/timestamp.ts'
import { dateFromPg, isoFromPgTimestamp } from '../../src/model/values.ts'

const instant = fc.date({
  min: new Date('0001-01-03T00:00:00Z'),
  max: new Date('9999-12-29T23:59:59Z'),
  noInvalidDate: true,
})
const micros = fc.integer({ min: 0, max: 999_999 }).map(n => String(n).padStart(6, '0'))
const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Australia/Lord_Howe',
)

describe('readTimestamp', () => {
  test('gives back what it has written, with all six digits', () => {
    fc.assert(
      fc.property(instant, micros, (date, fraction) => {
        const text = `${date.toISOString().slice(0, 19)}.${fraction}Z`
        expect(readTimestamp(text)).toBe(text)
        expect(readTimestamp(text, 'Asia/Tokyo')).toBe(text)
      }),
    )
  })

  test('takes an offset off, whatever its spelling', () => {
    fc.assert(
      fc.property(
        instant,
        micros,
        fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }),
        fc.boolean(),
        (date, fraction, offset, colon) => {
          const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19)
          const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(n =>
            String(n).padStart(2, '0'),
          )
          const zone = `${offset < 0 ? '-' : '+'}${hours}${colon ? ':' : ''}${minutes}`
          const expected = `${date.toISOString().slice(0, 19)}.${fraction}Z`
          expect(readTimestamp(`${local}.${fraction}${zone}`)).toBe(expected)
        },
      ),
    )
  })

  test('reads a local time in its zone, as Intl shows it', () => {
    // Times after 1970, when all zones had whole minutes; a local time that comes twice may mean either instant.
    const recent = fc.date({
      min: new Date('1971-01-01T00:00:00Z'),
      max: new Date('2037-12-31T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(recent, zones, (date, timeZone) => {
        const local = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
          date,
        )
        const read = readTimestamp(local, timeZone)
        const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
          new Date(String(read)),
        )
        expect(shown).toBe(local)
      }),
    )
  })

  test.each([
    ['2026-01-15T10:30', 'Europe/Berlin', '2026-01-15T09:30:00.000000Z'],
    ['2026-07-15T10:30', 'Europe/Berlin', '2026-07-15T08:30:00.000000Z'],
    ['2026-07-15 10:30:05.5', 'Asia/Kathmandu', '2026-07-15T04:45:05.500000Z'],
    ['2026-01-01T00:30', 'Pacific/Auckland', '2025-12-31T11:30:00.000000Z'],
    // An hour that comes twice means the first, west and east of Greenwich.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000000Z'],
    ['2026-04-05T02:30', 'Australia/Sydney', '2026-04-04T15:30:00.000000Z'],
    // Berlin's clocks were 53 minutes and 28 seconds ahead before there were time zones.
    ['0050-01-15T10:30', 'Europe/Berlin', '0050-01-15T09:36:32.000000Z'],
    // An hour that is skipped in spring is read as if the clock had not been put forward yet.
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000000Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000000Z'],
  ])('%s in %s is %s', (text, zone, expected) => {
    expect(readTimestamp(text, zone)).toBe(expected)
  })

  test.each([
    '',
    'now',
    '2026-01-15',
    '10:30',
    '2026-02-30T10:00:00Z',
    '2025-02-29T10:00:00Z',
    '2026-00-10T10:00:00Z',
    '2026-13-10T10:00:00Z',
    '2026-01-32T10:00:00Z',
    '2026-01-15T24:00:00Z',
    '2026-01-15T10:60:00Z',
    '2026-01-15T10:00:60Z',
    '2026-01-15T10:00:00+24:00',
    '2026-01-15T10:00:00+01:60',
    '2026-01-15T10:00:00+1',
    '2026-01-15T10:00:00 Z',
    '2026-01-15T10:00:00Z ',
    '2026-01-15T10:00:00.Z',
    '20260115T100000Z',
    '+002026-01-15T10:00:00Z',
    '-2026-01-15T10:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
  ])('%s is no timestamp', text => {
    expect(readTimestamp(text)).toBeUndefined()
  })

  test('whatever is no text is none either', () => {
    const noText = fc.anything().filter(value => typeof value !== 'string')
    fc.assert(
      fc.property(noText, value => {
        expect(readTimestamp(value)).toBeUndefined()
      }),
    )
  })

  test('no text makes it throw, and what it reads it reads again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.stringMatching(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/),
        ),
        text => {
          const read = readTimestamp(text, 'Europe/Berlin')
          if (read === undefined) return
          expect(read).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
          expect(readTimestamp(read)).toBe(read)
        },
      ),
    )
  })
})

test("PostgreSQL's text of any timestamp becomes ISO 8601", () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 999_999 }), (date, n) => {
      const fraction = String(n).padStart(6, '0')
      const shown = fraction.replace(/0+$/, '')
      const iso = date.toISOString()
      const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}${shown === '' ? '' : `.${shown}`}`
      for (const zone of ['', '+00']) expect(isoFromPgTimestamp(text + zone)).toBe(`${iso.slice(0, 19)}.${fraction}Z`)
    }),
  )
})

test("PostgreSQL's text of a timestamp is read in UTC, whatever the time zone of the session", () => {
  const seconds = fc.integer({ min: -15 * 3600, max: 15 * 3600 })
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 999_999 }), seconds, (date, n, offset) => {
      const fraction = String(n).padStart(6, '0')
      const local = new Date(date.getTime() + offset * 1000).toISOString()
      const shown = `${local.slice(0, 10)} ${local.slice(11, 19)}${n === 0 ? '' : `.${fraction.replace(/0+$/, '')}`}`
      const [hours, minutes, rest] = [3600, 60, 1].map((unit, i) =>
        String(Math.floor((Math.abs(offset) % [1e9, 3600, 60][i]!) / unit)).padStart(2, '0'),
      )
      // PostgreSQL leaves out the parts that are zero, from the end.
      const zone = `${offset < 0 ? '-' : '+'}${hours}:${minutes}:${rest}`.replace(/(:00){1,2}$/, '')
      expect(isoFromPgTimestamp(shown + zone)).toBe(`${date.toISOString().slice(0, 19)}.${fraction}Z`)
    }),
  )
})

test.each(['infinity', '-infinity', '10000-01-01 00:00:00+00', '0044-03-15 12:00:00 BC', '0044-03-15 12:00:00+02 BC'])(
  'a timestamp that ISO 8601 has no words for stays as PostgreSQL writes it: %s',
  text => {
    expect(isoFromPgTimestamp(text)).toBe(text)
  },
)

test.each(['15/07/2026 10:30:00 UTC', 'Wed Jul 15 10:30:00 2026 UTC', '15.07.2026 10:30:00 UTC', '07/15/2026'])(
  'a date in another style than ISO is refused rather than guessed: %s',
  text => {
    const problem = 'PostgreSQL does not write dates as ISO 8601 here: set "datestyle" to ISO on your own connections.'
    expect(() => isoFromPgTimestamp(text)).toThrow(problem)
    expect(() => dateFromPg(text)).toThrow(problem)
  },
)

test('timestampNow never goes back within a millisecond, and stays with the clock', () => {
  let last = ''
  for (let i = 0; i < 10_000; i++) {
    const now = timestampNow()
    expect(now >= last).toBe(true)
    last = now
  }
  const before = Date.now()
  last = timestampNow()
  const after = Date.now()
  expect(Date.parse(last)).toBeGreaterThan(before - 5)
  expect(Date.parse(last)).toBeLessThan(after + 5)
})
