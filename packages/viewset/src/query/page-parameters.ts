import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { type ApiRequest, queryValue } from '../core/request.ts'
import { readBoolean } from '../kinds/boolean.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'

/** What a page size or limit must be. */
export const SIZE = 'Enter a whole number above 0.'

/** Where an offset ends; beyond it, arithmetic would no longer be exact. */
export const MAX_OFFSET: number = Number.MAX_SAFE_INTEGER

/** What a page size or limit is, for which `standard` stands where it is not sent. */
export function sizeSchema(standard: number, max: number): JsonSchema {
  const description = `Most records of a page. More than ${max} are taken for ${max}.`
  return { type: 'integer', minimum: 1, default: standard, description }
}

/** Reads a page size or limit, capped at `max`; `undefined` for what is not a positive whole number. */
export function readSize(request: ApiRequest, parameter: string, standard: number, max: number): number | undefined {
  const text = queryValue(request, parameter)
  if (text === undefined) return standard
  return /^\d{1,16}$/.test(text) && Number(text) > 0 ? Math.min(Number(text), max) : undefined
}

export function badParameters(errors: FieldErrors): ValidationError {
  return new ValidationError(errors, 'A query parameter is not valid.')
}

/** Reads the `paginated` switch (SPEC, "List query parameters"); `undefined` when it is absent. */
export function readPaginated(request: ApiRequest): boolean | undefined {
  const text = queryValue(request, 'paginated')
  if (text === undefined) return undefined
  const value = readBoolean(text)
  if (value === undefined) throw badParameters({ paginated: ['Enter "true" or "false".'] })
  return value
}
