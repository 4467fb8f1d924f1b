import type { ColumnInfo } from '../model/model-info.ts'
import { recordSchemas } from './json-schema.ts'
import type { ModelSerializer } from './model-serializer.ts'

const known = new WeakMap<ModelSerializer, Map<ColumnInfo, ModelSerializer>>()

/** A serializer whose requests do not have a column, because the server fills it. For descriptions. */
export function withReadOnly(serializer: ModelSerializer, column: ColumnInfo): ModelSerializer {
  const of = known.get(serializer) ?? new Map<ColumnInfo, ModelSerializer>()
  known.set(serializer, of)
  let made = of.get(column)
  if (!made) {
    const fields = serializer.fields.map(field =>
      field.kind === 'stored' && field.column === column ? { ...field, readOnly: true } : field,
    )
    const { title } = serializer.outputSchema()
    const { inputSchema } = recordSchemas(String(title), fields)
    made = { ...serializer, fields, inputSchema }
    of.set(column, made)
  }
  return made
}
