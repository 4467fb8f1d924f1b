import type { ColumnInfo } from '../../model/model-info.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { hiddenFields } from './hidden-fields.ts'

// An answer to a path with a hidden field would show whether a record has the value. So the path names no record.

/** Whether the reader may not read the `lookupField` of the resource. */
export function hidesLookup(view: GenericViewSet): boolean {
  const { config, definition } = view
  const { lookup } = definition
  return config.lookupField !== undefined && lookup !== undefined && hiddenFields(view).hidesPath(lookup.key)
}

interface NamedParent {
  readonly column: ColumnInfo
  readonly lookup: ColumnInfo
  readonly target: ColumnInfo
}

/** Whether the reader may not read the `lookupField` of the parent of a nested route. */
export function hidesParent(view: GenericViewSet, parent: NamedParent): boolean {
  if (parent.lookup === parent.target) return false
  return hiddenFields(view).hidesPath(`${parent.column.key}__${parent.lookup.key}`)
}
