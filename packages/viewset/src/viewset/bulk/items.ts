import { ValidationError } from '../../core/errors.ts'
import type { GenericViewSet } from '../generic-viewset.ts'

export interface BulkView extends GenericViewSet {
  getBulkBatchSize(): number
}

/** @throws ValidationError for a body that is no array, is empty, or has too many items */
export function bulkItems(view: BulkView): readonly unknown[] {
  const { body } = view.request
  if (!Array.isArray(body)) {
    throw new ValidationError(`Invalid data. Expected an array, but got ${describe(body)}.`)
  }
  if (body.length === 0) throw new ValidationError('This list may not be empty.')
  const limit = limitOf(view)
  if (body.length > limit) throw new ValidationError(`Ensure this list has no more than ${limit} items.`)
  return body
}

function limitOf(view: BulkView): number {
  const limit = view.getBulkBatchSize()
  // No length exceeds NaN or a promise: such a mistake in the hook would remove the limit.
  if (Number.isSafeInteger(limit) && limit > 0) return limit
  throw new TypeError(`getBulkBatchSize must return a whole number above 0, not ${String(limit)}.`)
}

function describe(body: unknown): string {
  if (body === undefined) return 'nothing'
  if (body === null) return 'null'
  return typeof body === 'object' ? 'an object' : `a ${typeof body}`
}
