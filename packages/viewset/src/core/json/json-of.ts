/** JSON text of a 64-bit integer: a number up to 2^53, beyond that a string. */
export function bigintJson(value: bigint): string {
  return isSafe(value) ? String(value) : `"${value}"`
}

/** JSON text of a value, with 64-bit integers as in {@link bigintJson}. `null` for a value that JSON does not have. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // A replacer is slow, and `JSON.stringify` throws for the first bigint. It throws again for a circular value.
    return JSON.stringify(value, bigintsAsJson) ?? 'null'
  }
}

function bigintsAsJson(_: string, part: unknown): unknown {
  if (typeof part !== 'bigint') return part
  return isSafe(part) ? Number(part) : String(part)
}

function isSafe(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}
