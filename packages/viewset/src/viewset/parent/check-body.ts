import { type FieldErrors, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { StoredField } from '../../serializer/fields.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ResourceParent } from './parent-setting.ts'

/**
 * Refuses a body that names another parent than the path, by its key or by the text in the path. Other forms are not
 * compared.
 *
 * @throws ValidationError
 */
export function checkBodyOfParent(view: GenericViewSet, parent: ResourceParent, key: unknown): void {
  const { request, isCustom, config } = view
  const { body } = request
  const { column } = parent
  if (isCustom || typeof body !== 'object' || body === null) return
  const field = config.serializer.fields.find(one => one.wire === column.wire)
  if (field?.kind !== 'stored') return
  const items: readonly unknown[] = Array.isArray(body) ? body : [body]
  const errors: FieldErrors = {}
  for (const [index, item] of items.entries()) {
    const given = isObject(item) && Object.hasOwn(item, column.wire) ? item[column.wire] : undefined
    const named = given === undefined || given === null ? undefined : namedBy(field, parent, given)
    const wanted = named?.by === parent.target ? key : request.params[parent.param]
    if (!named || isSame(named, wanted)) continue
    errors[Array.isArray(body) ? `${index}.${column.wire}` : column.wire] = [message('not_of_path')]
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}

interface Named {
  /** The column of the parent. */
  readonly by: ColumnInfo
  readonly value: unknown
}

/** How a body names the parent; `undefined` for a form that is not compared, such as a new record. */
function namedBy({ relation }: StoredField, { target, lookup }: ResourceParent, given: unknown): Named | undefined {
  if (relation?.input) return undefined
  if (relation?.write === 'str') return relation.str === lookup ? { by: lookup, value: given } : undefined
  if (!isObject(given)) return relation?.write === 'data' ? undefined : { by: target, value: given }
  const { wire } = target
  return relation && relation.write !== 'id' && Object.hasOwn(given, wire)
    ? { by: target, value: given[wire] }
    : undefined
}

function isSame({ by, value }: Named, wanted: unknown): boolean {
  const read = readJsonValue(by, value)
  return 'value' in read && kindOf(by).identity(read.value) === kindOf(by).identity(wanted)
}
