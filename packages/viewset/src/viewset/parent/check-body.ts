import { type FieldErrors, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ResourceParent } from './parent-setting.ts'

/**
 * Refuses a body that names another parent than the path. A field that the serializer shows in another form than the key
 * is not compared.
 *
 * @throws ValidationError
 */
export function checkBodyOfParent(view: GenericViewSet, { column, target }: ResourceParent, key: unknown): void {
  const { body } = view.request
  if (view.isCustom || typeof body !== 'object' || body === null || !isKeyField(view, column.wire)) return
  const items: readonly unknown[] = Array.isArray(body) ? body : [body]
  const errors: FieldErrors = {}
  for (const [index, item] of items.entries()) {
    const given = isObject(item) && Object.hasOwn(item, column.wire) ? item[column.wire] : undefined
    if (given === undefined || given === null) continue
    const read = readJsonValue(column, given)
    const { identity } = kindOf(target)
    if ('value' in read && identity(read.value) === identity(key)) continue
    errors[Array.isArray(body) ? `${index}.${column.wire}` : column.wire] = [message('not_of_path')]
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}

function isKeyField({ config: { serializer } }: GenericViewSet, wire: string): boolean {
  const field = serializer.fields.find(one => one.wire === wire)
  if (field?.kind !== 'stored') return false
  const { relation } = field
  return !relation || (relation.write === 'id' && !relation.input)
}
