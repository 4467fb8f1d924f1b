import { isWritable, type ManyField, type StoredField } from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** The fields of a serializer that a client may write. */
export interface WritableFields {
  readonly fields: readonly (StoredField | ManyField)[]
  /** Those that are kept in a column. */
  readonly stored: readonly StoredField[]
  /** Those of a record that exists: its primary key is what it is found by. */
  readonly changeable: readonly (StoredField | ManyField)[]
}

const known = new WeakMap<ModelSerializer, WritableFields>()

/** What a client may write, worked out once for a serializer. */
export function writableFields(serializer: ModelSerializer): WritableFields {
  let writable = known.get(serializer)
  if (!writable) {
    const fields = serializer.fields.filter(isWritable)
    const stored = fields.filter(field => field.kind === 'stored')
    const changeable = fields.filter(field => field.kind === 'many' || !field.column.primaryKey)
    writable = { fields, stored, changeable }
    known.set(serializer, writable)
  }
  return writable
}
