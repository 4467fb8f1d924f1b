import { ValidationError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { RequestOptionsReader } from '../import/request-options.ts'

const NO_FORM: ReadonlyMap<string, string> = new Map()

export function readBackground(request: ApiRequest): boolean {
  const options = new RequestOptionsReader(NO_FORM, request)
  const background = options.boolean('background') ?? false
  if (options.errors.background) throw new ValidationError(options.errors)
  return background
}
