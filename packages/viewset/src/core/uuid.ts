import { randomUUID } from 'node:crypto'

/** The millisecond of the last identifier, its digits, and how many identifiers were made in it before. */
let time = 0
let timeDigits = ''
let counter = 0

/**
 * A new identifier that sorts behind all that this process has made before: a uuid of version 7 (RFC 9562), its
 * milliseconds followed by a counter of 12 bits and 62 random ones.
 *
 * Written here because `randomUUID` keeps random bytes in store, while a package has to ask the system for each one:
 * that took a tenth of a bulk create's CPU time.
 *
 * @example
 * uuidv7() // '01a0b1c2-d3e4-7000-9a1f-0242ac120002'
 */
export function uuidv7(): string {
  const now = Date.now()
  counter++
  // A clock that was set back, or 4,096 identifiers in one millisecond: time goes on from the last one all the same.
  if (now > time || counter > 0xfff) {
    time = Math.max(now, time + 1)
    counter = 0
    const digits = time.toString(16).padStart(12, '0')
    timeDigits = `${digits.slice(0, 8)}-${digits.slice(8)}-7`
  }
  // The end of a uuid of version 4: the variant and the random bits.
  return `${timeDigits}${counter.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
}
