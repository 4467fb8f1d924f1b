import type { ImportMapping, MappedField } from '../options.ts'

/** Whether a value, such as JSON of a client, has the shape of a mapping; what its names mean is not asked yet. */
export function isMapping(value: unknown): value is ImportMapping {
  return isRecord(value) && Object.values(value).every(entry => isField(entry) || isColumns(entry))
}

function isColumns(value: unknown): value is Readonly<Record<string, MappedField>> {
  return isRecord(value) && Object.values(value).every(isField)
}

function isField(value: unknown): value is MappedField {
  return value === null || typeof value === 'string' || (Array.isArray(value) && value.every(isText))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
