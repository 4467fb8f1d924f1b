import { labelOf } from '../../exporting/export-columns.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { isReadable, isWritable, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { FieldSchema } from './api-schema.ts'

/** The name of the resource that a user finds records of a model in; null for none. */
export type ResourceOf = (model: ModelInfo) => string | null

type Properties = Readonly<Record<string, JsonSchema>>

/** What a serializer takes and shows, field by field. */
export function fieldSchemas(serializer: ModelSerializer, resourceOf: ResourceOf): FieldSchema[] {
  const inputs = propertiesOf(serializer.inputSchema())
  const outputs = propertiesOf(serializer.outputSchema())
  return serializer.fields.map(field => ({
    name: field.wire,
    label: labelOf(field.wire),
    kind: kindNameOf(field),
    nullable: isNullable(field),
    readable: isReadable(field),
    writable: isWritable(field),
    required: isWritable(field) && field.required,
    input: inputs[field.wire] ?? null,
    output: outputs[field.wire] ?? null,
    relation: relationOf(field, resourceOf),
  }))
}

function propertiesOf({ properties = {} }: JsonSchema): Properties {
  return properties as Properties
}

function isNullable(field: SerializerField): boolean {
  return field.kind === 'expression' ? !field.notNull : field.kind === 'stored' && field.column.nullable
}

function kindNameOf(field: SerializerField): string | null {
  if (field.kind === 'computed') return null
  if (field.kind === 'expression') return kindOf(field.value).name
  return kindOf(field.kind === 'many' ? field.relation.relatedKey : field.column).name
}

function relationOf(field: SerializerField, resourceOf: ResourceOf): FieldSchema['relation'] {
  if (field.kind === 'many') {
    const { relatedKey } = field.relation
    const write = field.readOnly ? null : 'id'
    const resource = resourceOf(field.serializer.info)
    return { resource, key: relatedKey.wire, many: true, read: 'data', write, str: null }
  }
  if (field.kind !== 'stored' || !field.relation) return null
  const { model, target, str, read, write } = field.relation
  return {
    resource: resourceOf(model),
    key: target.wire,
    many: false,
    read,
    write: field.readOnly ? null : write,
    str: str?.wire ?? null,
  }
}
