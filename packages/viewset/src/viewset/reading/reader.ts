import { createHash } from 'node:crypto'
import { withBigints } from '../../store/sql-parts.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedValuesOf } from '../write/fixed-values.ts'
import { hiddenFields } from './hidden-fields.ts'

/**
 * A short text that is equal for all who see the same fields of a resource in the same tenant. What was made for a user
 * is shown again only as long as this text is the same.
 */
export function readerOf(view: GenericViewSet): string {
  const fields = hiddenFields(view).isEmpty ? null : view.getSerializer().outputSchema()
  const seen = JSON.stringify([fixedValuesOf(view), fields], withBigints)
  return createHash('sha256').update(seen).digest('base64url').slice(0, 22)
}
