import type * as z from 'zod'
import { type JsonSchema, notNull, orNull } from '../kinds/json-schema.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { inputExample, outputExample } from './example.ts'
import { isReadable, isWritable, type ManyField, type SerializerField, type StoredField } from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { refinedSchema } from './refined-schema.ts'

/** How a serializer describes its records. Each schema is one object, by which a description knows it again. */
export function recordSchemas(
  name: string,
  fields: readonly SerializerField[],
): Pick<ModelSerializer, 'inputSchema' | 'outputSchema'> {
  const writable = fields.filter(isWritable)
  // A client that chooses the primary key does so once: the key of a record that exists is what it is found by.
  const changeable = writable.filter(field => field.kind === 'many' || !field.column.primaryKey)
  const input = once(() => inputSchema(`${name}Input`, writable))
  const patch = once(() => inputSchema(`${name}Patch`, changeable, { partial: true }))
  const update = once(() => (changeable.length < writable.length ? inputSchema(`${name}Update`, changeable) : input()))
  const output = once(() => outputSchema(name, fields.filter(isReadable)))
  return {
    inputSchema: ({ partial = false, existing = partial } = {}) => (partial ? patch() : existing ? update() : input()),
    outputSchema: output,
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

type WritableField = StoredField | ManyField

/** What a client may send for one record: with `partial`, no field is required. */
function inputSchema(title: string, fields: readonly WritableField[], { partial = false } = {}): JsonSchema {
  const required = fields.filter(field => field.required && !partial).map(field => field.wire)
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.wire, fieldInput(field)])),
    ...(required.length > 0 && { required }),
    ...withExample(inputExample(partial ? fields.slice(0, 1) : fields)),
  }
}

function withExample(example: object | undefined): JsonSchema {
  return example === undefined ? {} : { examples: [example] }
}

/** What a client gets of one record. Every field is there, be it null. */
function outputSchema(title: string, fields: readonly SerializerField[]): JsonSchema {
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.wire, fieldOutput(field)])),
    required: fields.map(field => field.wire),
    ...withExample(outputExample(fields)),
  }
}

function fieldInput(field: WritableField): JsonSchema {
  if (field.kind === 'many') return { type: 'array', items: columnInput(field.relation.relatedKey) }
  const { column, checked, relation, refinement } = field
  const schema = relation ? relationInput(field, relation) : refined(checked, refinement)
  return column.nullable ? orNull(schema) : notNull(schema)
}

function relationInput(
  { checked, refinement }: StoredField,
  relation: NonNullable<StoredField['relation']>,
): JsonSchema {
  const { write, str, serializer, model } = relation
  if (write === 'str' && str) return refined(str, refinement)
  const identifier = refined(checked, refinement)
  if (!serializer || (write !== 'data' && write !== 'flexible')) return identifier
  const { primaryKey } = model
  const existing = {
    type: 'object',
    properties: { [primaryKey.wire]: columnInput(primaryKey) },
    required: [primaryKey.wire],
  }
  const objects = [serializer.inputSchema(), existing]
  return { anyOf: write === 'flexible' ? [identifier, ...objects] : objects }
}

function fieldOutput(field: SerializerField): JsonSchema {
  // What a function returns is known to TypeScript only.
  if (field.kind === 'computed') return {}
  if (field.kind === 'expression') {
    const { output } = kindOf(field.value).jsonSchema(field.value)
    return field.notNull ? output : orNull(output)
  }
  if (field.kind === 'many') return { type: 'array', items: field.serializer.outputSchema() }
  const { column, nested } = field
  if (!nested) return columnOutput(column, column.nullable)
  const { read, str, serializer, target, scopeReads } = nested
  const mayBeMissing = column.nullable || scopeReads
  if (read === 'str' && str) return columnOutput(str, mayBeMissing || str.nullable)
  if (read === 'id') return columnOutput(target, mayBeMissing)
  if (read === 'custom' || !serializer) return {}
  return mayBeMissing ? orNull(serializer.outputSchema()) : serializer.outputSchema()
}

function columnOutput(column: ColumnInfo, nullable: boolean): JsonSchema {
  const { output } = kindOf(column).jsonSchema(column)
  return nullable ? orNull(output) : output
}

function columnInput(column: ColumnInfo): JsonSchema {
  return kindOf(column).jsonSchema(column).input
}

/** A refinement is about the value in code: it describes what is sent only where that is the same. */
function refined(column: ColumnInfo, refinement: z.ZodType | undefined): JsonSchema {
  const { input, heldAsSent } = kindOf(column).jsonSchema(column)
  return refinement && heldAsSent && !column.ownType ? refinedSchema(input, refinement) : input
}
