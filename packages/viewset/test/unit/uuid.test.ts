import { afterEach, expect, test, vi } from 'vitest'
import { uuidv7 } from '../../src/core/uuid.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)

let hours = 0

/** Sets the clock ahead of all that a test of this process has set before, since identifiers only grow. */
function setClockAhead(): void {
  vi.useFakeTimers({ now: Date.now() + ++hours * 3_600_000 })
}

afterEach(() => {
  vi.useRealTimers()
})

test('identifiers are uuids of version 7 that begin with the time', () => {
  setClockAhead()
  const id = uuidv7()
  expect(id).toMatch(VERSION_7)
  expect(timeOf(id)).toBe(Date.now())
})

test('each one sorts behind those before it, however many there are in a millisecond', () => {
  setClockAhead()
  const ids = Array.from({ length: 10_000 }, () => uuidv7())
  expect(ids.every(id => VERSION_7.test(id))).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('all of the 62 random bits are drawn anew for each one', () => {
  const drawn = Array.from({ length: 10_000 }, () => BigInt(`0x${uuidv7().slice(19).replace('-', '')}`))
  for (let bit = 0n; bit < 62n; bit++) {
    const share = drawn.filter(bits => (bits >> bit) & 1n).length / drawn.length
    // Six deviations of 10,000 fair coins.
    expect(Math.abs(share - 0.5), `bit ${bit}`).toBeLessThan(0.03)
  }
  expect(new Set(drawn).size).toBe(drawn.length)
})

test('a clock that counts in fractions does not spoil them', () => {
  setClockAhead()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 0.5)
  const id = uuidv7()
  clock.mockRestore()
  expect([id, uuidv7()]).toEqual([expect.stringMatching(VERSION_7), expect.stringMatching(VERSION_7)])
})

test('a clock that is set back does not disturb the order', () => {
  setClockAhead()
  const first = uuidv7()
  vi.setSystemTime(Date.now() - 60_000)
  expect(uuidv7() > first).toBe(true)
})
