import type { ValueInfo, ValueLine } from './kind.ts'

/** Examples of numbers, for integers and the numbers around them. */
export const NUMBERS = [1, 0, 2, 5, 10, 50, 100, 1_000, -1, 1_000_000]

/** The first whole number that an integer of so many bits cannot be. */
export function limitOf({ bits = 32 }: ValueInfo): bigint {
  return 2n ** BigInt(bits - 1)
}

/** Reads a whole number within the range of an integer; `undefined` for a text that is none. */
export function readWhole(info: ValueInfo, text: string, form: RegExp): bigint | undefined {
  if (!form.test(text)) return undefined
  const integer = BigInt(text.replace('+', ''))
  return BigInt.asIntN(info.bits ?? 32, integer) === integer ? integer : undefined
}

export const IN_QUERY = /^[+-]?\d{1,19}$/
export const IN_PATH = /^-?\d{1,19}$/

export function expectedWhole(info: ValueInfo): string {
  const limit = limitOf(info)
  return `a whole number from ${-limit} to ${limit - 1n}`
}

/** The line of the whole numbers below `limit`, on both sides of 0. */
export function wholeNumbers(limit: bigint, valueAt: (place: bigint) => unknown): ValueLine {
  const place = (value: unknown) => BigInt(String(value).replace(/\..*$/, ''))
  return { lowest: 1n - limit, highest: limit - 1n, place, valueAt }
}
