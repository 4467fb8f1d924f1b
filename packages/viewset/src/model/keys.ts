import type { ColumnInfo } from './model-info.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Reads a uuid, whatever its version bits and in any case (HARDENING 8); returns it in lower case, or `undefined`.
 *
 * @example
 * readUuid('018F...') // '018f...'
 */
export function readUuid(value: unknown): string | undefined {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : undefined
}

/** Reads the primary key in a path; `undefined` for text that cannot be one, which then simply is not found. */
export function readKey(primaryKey: ColumnInfo, text: string | undefined): unknown {
  if (text === undefined) return undefined
  switch (primaryKey.kind) {
    case 'uuid':
      return readUuid(text)
    case 'integer':
    case 'bigint': {
      if (!/^-?\d{1,19}$/.test(text)) return undefined
      const key = BigInt(text)
      if (BigInt.asIntN(primaryKey.bits ?? 32, key) !== key) return undefined
      return primaryKey.kind === 'bigint' ? key : Number(key)
    }
    default:
      return text.includes('\0') ? undefined : text
  }
}
