import type * as z from 'zod'
import { type JsonSchema, keyOrObject, notNull, orNull } from '../kinds/json-schema.ts'
import { kindOf } from '../kinds/kinds.ts'
import { SOME_CHARACTER } from '../kinds/text.ts'
import { zodInput } from '../kinds/zod-input.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { ListMode } from '../records/drafts.ts'
import { hasJoinTable } from '../store/to-many.ts'
import { inputExample, isChangeable, outputExample } from './examples.ts'
import {
  isReadable,
  isWritable,
  type ManyField,
  type SerializerField,
  type StoredField,
  takesRecords,
  truncatedName,
  type WrittenField,
} from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** Each schema is always the same object: a description recognizes it by its identity. */
export function recordSchemas(
  name: string,
  fields: readonly SerializerField[],
): Pick<ModelSerializer, 'inputSchema' | 'outputSchema'> {
  const writable = fields.filter(isWritable)
  const changeable = writable.filter(isChangeable)
  const input = once(() => inputSchema(`${name}Input`, writable, 'POST'))
  const patch = once(() => inputSchema(`${name}Patch`, changeable, 'PATCH'))
  const differs = changeable.length < writable.length || writable.some(hasStoredItems)
  const update = once(() => (differs ? inputSchema(`${name}Update`, changeable, 'PUT') : input()))
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

/** Lists of children can name stored ones in an update only. */
function hasStoredItems(field: WrittenField): boolean {
  return field.kind === 'many' && takesRecords(field) && !hasJoinTable(field.relation)
}

function inputSchema(title: string, fields: readonly WrittenField[], method: Method): JsonSchema {
  const partial = method === 'PATCH'
  const required = fields.filter(field => field.required && !partial && !field.writableBy).map(field => field.wire)
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(fields.map(field => [field.wire, fieldInput(field, method)])),
    ...(required.length > 0 && { required }),
    ...withExample(inputExample(partial ? fields.slice(0, 1) : fields)),
  }
}

function withExample(example: object | undefined): JsonSchema {
  return example === undefined ? {} : { examples: [example] }
}

function outputSchema(title: string, fields: readonly SerializerField[]): JsonSchema {
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(fields.flatMap(field => [[field.wire, fieldOutput(field)], ...markOf(field)])),
    required: fields.filter(field => !field.readableBy).map(field => field.wire),
    ...withExample(outputExample(fields)),
  }
}

/** The mark of a list that is read in part. */
function markOf(field: SerializerField): readonly [string, JsonSchema][] {
  if (field.kind !== 'many') return []
  const description = `Whether "${field.wire}" has more records than are shown here. Otherwise absent.`
  return [[truncatedName(field), { type: 'boolean', const: true, description }]]
}

function fieldInput(field: WrittenField, method: Method): JsonSchema {
  if (field.kind === 'many') return listInput(field, method)
  if (field.kind === 'input') return zodInput(field.input)
  const { column, checked, relation, refinement } = field
  const schema = relation ? relationInput(field, relation) : refined(checked, refinement)
  return column.nullable ? orNull(schema) : notNull(schema)
}

type Method = 'POST' | 'PUT' | 'PATCH'

function listInput(field: ManyField, method: Method): JsonSchema {
  const { relation, write, str, serializer, modes, maxItems } = field
  const { model, relatedKey } = relation
  if (!serializer || !takesRecords(field)) {
    const items = field.input ? zodInput(field.input) : columnInput((write === 'str' && str) || relatedKey)
    return { type: 'array', items }
  }
  const itemOf = (objects: readonly JsonSchema[]) =>
    write === 'flexible' ? keyOrObject(columnInput(model.primaryKey), { anyOf: objects }) : { anyOf: objects }
  if (hasJoinTable(relation)) {
    return { type: 'array', items: itemOf([serializer.inputSchema(), keyedInput(model)]), maxItems }
  }
  const created = childInput(serializer, relation.source, serializer.inputSchema())
  if (method === 'POST') return { type: 'array', items: created, maxItems }
  const changed = serializer.inputSchema({ existing: true, partial: method === 'PATCH' })
  const stored = { allOf: [keyedInput(model), childInput(serializer, relation.source, changed)] }
  const description = LEFT_OUT[modes[method]]
  return { type: 'array', items: itemOf([stored, created]), maxItems, description }
}

/** The input of a child, whose owner is the record around it. */
function childInput({ fields }: ModelSerializer, owner: ColumnInfo, schema: JsonSchema): JsonSchema {
  const field = fields.find(field => field.kind === 'stored' && field.column === owner && isWritable(field))
  if (!field) return schema
  const { title: _, examples: __, properties = {}, required = [], ...rest } = schema
  const left = Object.entries(Object(properties)).filter(([name]) => name !== field.wire)
  const needed = (required as readonly string[]).filter(name => name !== field.wire)
  return { ...rest, properties: Object.fromEntries(left), ...(needed.length > 0 && { required: needed }) }
}

const LEFT_OUT: Readonly<Record<ListMode, string>> = {
  sync: 'Stored records that the list leaves out are deleted.',
  merge: 'Stored records that the list leaves out stay.',
}

function keyedInput({ primaryKey }: ModelInfo): JsonSchema {
  return { type: 'object', properties: { [primaryKey.wire]: columnInput(primaryKey) }, required: [primaryKey.wire] }
}

function itemOutput({ read, serializer, str, relation }: ManyField): JsonSchema {
  if (read === 'data' && serializer) return serializer.outputSchema()
  const shown = (read === 'str' && str) || relation.relatedKey
  return columnOutput(shown, shown.nullable)
}

function relationInput(
  { checked, refinement }: StoredField,
  relation: NonNullable<StoredField['relation']>,
): JsonSchema {
  const { write, str, serializer, model } = relation
  if (write === 'str' && str) return refined(str, refinement)
  if (relation.input) return zodInput(relation.input)
  const identifier = refined(checked, refinement)
  if (!serializer || (write !== 'data' && write !== 'flexible')) return identifier
  const object = { anyOf: [serializer.inputSchema(), keyedInput(model)] }
  return write === 'flexible' ? keyOrObject(identifier, object) : object
}

function fieldOutput(field: SerializerField): JsonSchema {
  // Only TypeScript knows a function's result.
  if (field.kind === 'computed' || field.kind === 'input') return {}
  if (field.kind === 'expression') {
    const { output } = kindOf(field.value).jsonSchema(field.value)
    return field.notNull ? output : orNull(output)
  }
  if (field.kind === 'many') return { type: 'array', items: itemOutput(field) }
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

/** A refinement checks the value in code. It describes the JSON only if both are equal. */
function refined(column: ColumnInfo, refinement: z.ZodType | undefined): JsonSchema {
  const { input, heldAsSent } = kindOf(column).jsonSchema(column)
  return refinement && heldAsSent && !column.ownType ? refinedSchema(input, refinement) : input
}

function refinedSchema(column: JsonSchema, refinement: z.ZodType): JsonSchema {
  const { title: _, ...rules } = zodInput(refinement)
  if (Object.keys(rules).length === 0) return column
  // A column that accepts everything adds nothing.
  if (Object.keys(column).length === 0) return rules
  return narrowed(column, rules) ?? { ...column, allOf: [rules] }
}

const LIMITS: Readonly<Record<string, (a: number, b: number) => number>> = {
  minimum: Math.max,
  exclusiveMinimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  maximum: Math.min,
  exclusiveMaximum: Math.min,
  maxLength: Math.min,
  maxItems: Math.min,
}

/** Independent keywords that occur once in a schema. */
const SINGLE = new Set(['description', 'enum', 'format', 'multipleOf', 'pattern'])

/** `undefined` if they need `allOf`. */
function narrowed(schema: JsonSchema, rules: JsonSchema): JsonSchema | undefined {
  if (typeof schema.type !== 'string') return undefined
  const merged: Record<string, unknown> = { ...schema }
  for (const [keyword, value] of Object.entries(rules)) {
    const known = merged[keyword]
    const limit = LIMITS[keyword]
    // An integer is a number.
    const isKnown = known === value || (keyword === 'type' && known === 'integer' && value === 'number')
    if (keyword === 'pattern' && known === SOME_CHARACTER && !takesBlanks(value)) merged[keyword] = value
    else if (limit) merged[keyword] = known === undefined ? value : limit(known as number, value as number)
    else if (SINGLE.has(keyword) && known === undefined) merged[keyword] = value
    else if (!isKnown) return undefined
  }
  return merged
}

function takesBlanks(pattern: unknown): boolean {
  const form = new RegExp(String(pattern), 'u')
  return form.test('') || form.test(' ')
}
