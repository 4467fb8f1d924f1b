import type * as z from 'zod'
import { type JsonSchema, notNull, orNull } from '../kinds/json-schema.ts'
import type { ReadContext, ValueInfo } from '../kinds/kind.ts'
import { exampleValues, kindOf } from '../kinds/kinds.ts'
import { SOME_CHARACTER } from '../kinds/text.ts'
import { zodAccepts, zodInput } from '../kinds/zod-input.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { isReadable, isWritable, type ManyField, type SerializerField, type StoredField } from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** Each schema is always the same object: a description recognizes it by its identity. */
export function recordSchemas(
  name: string,
  fields: readonly SerializerField[],
): Pick<ModelSerializer, 'inputSchema' | 'outputSchema'> {
  const writable = fields.filter(isWritable)
  // A client chooses a primary key once; later it identifies the record.
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
  // Only TypeScript knows a function's result.
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

type Example = Readonly<Record<string, unknown>>

/** Example datetimes have a zone. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/**
 * An example request: a valid value for each field. `undefined` if a required field has none, because no example is
 * better than a wrong one.
 */
function inputExample(fields: readonly (StoredField | ManyField)[]): Example | undefined {
  const all = fields.map(field => [field, inputValue(field)] as const)
  const known = all.filter(([, value]) => value !== undefined)
  if (known.length === 0 || all.some(([field, value]) => value === undefined && field.required)) return undefined
  return Object.fromEntries(known.map(([{ wire }, value]) => [wire, value]))
}

function inputValue(field: StoredField | ManyField): unknown {
  const schema = field.schema(IN_UTC)
  return candidates(field).find(value => zodAccepts(schema, value))
}

function candidates(field: StoredField | ManyField): readonly unknown[] {
  if (field.kind === 'many') return exampleValues(field.relation.relatedKey).map(key => [key])
  const { column, relation } = field
  if (relation?.write === 'data' && relation.serializer) return examplesOf(relation.serializer.inputSchema())
  return exampleValues(relation?.write === 'str' && relation.str ? relation.str : column)
}

/** An example response; `undefined` if a field's value is unknown, such as a function's. */
function outputExample(fields: readonly SerializerField[]): Example | undefined {
  const entries = fields.map(field => [field.wire, outputValue(field)] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

function outputValue(field: SerializerField): unknown {
  if (field.kind === 'computed') return undefined
  if (field.kind === 'expression') return firstValue(field.value)
  if (field.kind === 'many') return examplesOf(field.serializer.outputSchema())
  const { column, nested, readOnly, relation } = field
  if (!nested) {
    const value = readOnly || relation ? exampleValues(column)[0] : inputValue(field)
    return value === undefined && column.nullable ? null : shownValue(column, value)
  }
  const { read, str, serializer, target } = nested
  if (read === 'str' && str) return firstValue(str)
  if (read === 'id') return firstValue(target)
  return read === 'custom' || !serializer ? undefined : examplesOf(serializer.outputSchema())[0]
}

function firstValue(info: ValueInfo): unknown {
  return shownValue(info, exampleValues(info)[0])
}

function shownValue(info: ValueInfo, given: unknown): unknown {
  const result = kindOf(info).schema(info, IN_UTC).safeParse(given)
  return typeof result.data === 'bigint' ? Number(result.data) : result.data
}

function examplesOf({ examples }: JsonSchema): readonly unknown[] {
  return Array.isArray(examples) ? examples : []
}
