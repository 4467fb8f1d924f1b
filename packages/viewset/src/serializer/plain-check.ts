import type { ColumnInfo } from '../model/model-info.ts'

/** Whether a value is right for a column and is stored as it is. */
export type PlainCheck = (value: unknown) => boolean

/** A UUID as it is stored; written otherwise, it is for the schema to read. */
const STORED_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Tells of almost every value, which is plain and right, what the column's schema takes ten times as long to say. What
 * it does not accept may be right all the same: that is for the schema. `undefined` for kinds of which it knows nothing.
 */
export function plainCheck({ kind, ownType, ...column }: ColumnInfo): PlainCheck | undefined {
  if (ownType) return undefined
  switch (kind) {
    case 'text': {
      const { length = Number.POSITIVE_INFINITY } = column
      return value => typeof value === 'string' && value.length <= length && !value.includes('\0')
    }
    case 'enumeration': {
      const known = new Set<unknown>(column.values)
      return value => known.has(value)
    }
    case 'integer': {
      const limit = 2 ** ((column.bits === 16 ? 16 : 32) - 1)
      return value => Number.isInteger(value) && (value as number) < limit && (value as number) >= -limit
    }
    case 'boolean':
      return value => typeof value === 'boolean'
    case 'uuid':
      return value => typeof value === 'string' && STORED_UUID.test(value)
    default:
      return undefined
  }
}
