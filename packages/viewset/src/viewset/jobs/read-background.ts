import { ValidationError } from '../../core/errors.ts'
import type { ApiRequest } from '../../core/request.ts'
import { ToldOptions } from '../import/told-options.ts'

const NO_FORM: ReadonlyMap<string, string> = new Map()

/** Whether a request wants its work to be done in the background. @throws ValidationError */
export function readBackground(request: ApiRequest): boolean {
  const told = new ToldOptions(NO_FORM, request)
  const background = told.boolean('background') ?? false
  if (told.errors.background) throw new ValidationError(told.errors)
  return background
}
