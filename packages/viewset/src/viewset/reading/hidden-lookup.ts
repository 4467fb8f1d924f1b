import type { GenericViewSet } from '../generic-viewset.ts'
import { hiddenFields } from './hidden-fields.ts'

// An answer to a path with a hidden field would show whether a record has the value. So the path names no record.

/** Whether the reader may not read the `lookupField` of the resource. */
export function hidesLookup(view: GenericViewSet): boolean {
  const { config, definition } = view
  const { lookup } = definition
  return config.lookupField !== undefined && lookup !== undefined && hiddenFields(view).hidesPath(lookup.key)
}

/** Whether the reader may not read the `lookupField` of the parent of a nested route. */
export function hidesParent(view: GenericViewSet): boolean {
  const { parent } = view.definition
  if (!parent || parent.lookup === parent.target) return false
  return hiddenFields(view).hidesPath(`${parent.column.key}__${parent.lookup.key}`)
}
