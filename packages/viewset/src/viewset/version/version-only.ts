import { isReadable, isWritable, type ManyField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { isPlain } from '../../store/projection.ts'
import { hasJoinTable } from '../../store/to-many.ts'

/**
 * Whether the version of a record moves with each change of what a serializer shows: own columns, and lists of children
 * that are written with the record (see `nestLists`).
 */
export function showsOnlyVersioned(serializer: ModelSerializer): boolean {
  if (!hasOnlyOwnValues(serializer)) return false
  const columns = serializer.fields
    .filter(isReadable)
    .map(field => (field.kind === 'stored' ? field.column : undefined))
  // If a foreign key deletes the record, there is no answer.
  return !serializer.info.keyActions.some(action => action.changes && action.columns.some(one => columns.includes(one)))
}

function hasOnlyOwnValues({ fields, listed }: ModelSerializer): boolean {
  const isOwn = (field: ModelSerializer['fields'][number]) =>
    field.kind === 'stored' || (field.kind === 'many' && isVersionedList(field))
  return isPlain(listed.projection) && fields.filter(isReadable).every(isOwn)
}

function isVersionedList(field: ManyField): boolean {
  const { relation, serializer } = field
  const { model, source, scopeReads } = relation
  if (!isWritable(field) || hasJoinTable(relation) || scopeReads) return false
  // Any other foreign key could delete or change a child without a write of it.
  if (model.keyActions.some(({ columns }) => !columns.includes(source))) return false
  return field.read !== 'data' || (serializer !== undefined && hasOnlyOwnValues(serializer))
}
