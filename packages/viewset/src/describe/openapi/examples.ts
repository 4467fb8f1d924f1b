import { fillsField } from '../../importing/plan/plan.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { ValueInfo } from '../../kinds/kind.ts'
import { valuesOfCells } from '../../kinds/kinds.ts'
import { recordExamples } from '../../serializer/examples.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { FileImportMixin } from '../../viewset/mixins/file-import-mixin.ts'
import type { RegisteredResource } from '../api-description.ts'

/**
 * The examples of the records of an API, by their schemas: with the values that resources give for the templates of
 * their imports.
 */
export function examplesOfRecords(resources: readonly RegisteredResource[]): ReadonlyMap<object, unknown> {
  const values = chosenValues(resources)
  const examples = new Map<object, unknown>()
  for (const serializer of serializersOf(resources)) {
    for (const [schema, example] of recordExamples(serializer, column => values.get(column))) {
      if (example !== undefined) examples.set(schema, example)
    }
  }
  return examples
}

/** The values of `importExamples`, by their columns. A reference gives the value of the column that it looks up. */
function chosenValues(resources: readonly RegisteredResource[]): ReadonlyMap<ValueInfo, unknown> {
  const values = new Map<ValueInfo, unknown>()
  const looked = new Map<ValueInfo, unknown>()
  for (const { resource } of resources) {
    if (!resource.mixins.includes(FileImportMixin)) continue
    const { definition } = resource
    const { chosen } = FileImportMixin.own(definition)(definition.config.serializer)
    for (const [planned, cell] of chosen) {
      const { column, lookup, links } = planned
      if (links || !fillsField(planned)) continue
      const shown = lookup?.by ?? column
      const [value] = valuesOfCells(shown, [cell])
      if (value !== undefined) (lookup ? looked : values).set(shown, value)
    }
  }
  return new Map([...looked, ...values])
}

function serializersOf(resources: readonly RegisteredResource[]): ReadonlySet<ModelSerializer> {
  const all = new Set<ModelSerializer>()
  const add = (serializer: ModelSerializer | undefined) => {
    if (!serializer || all.has(serializer)) return
    all.add(serializer)
    for (const field of serializer.fields) {
      if (field.kind === 'many') add(field.serializer)
      if (field.kind !== 'stored') continue
      add(field.nested?.serializer)
      add(field.relation?.serializer)
    }
  }
  for (const { resource } of resources) {
    const { serializer, serializers = [] } = resource.definition.config
    for (const one of [serializer, ...serializers]) add(one)
  }
  return all
}

/**
 * An example of a schema that is put together of others with examples; `undefined` if a part has none. `componentOf`
 * finds the schema of a reference.
 */
export function exampleOf(schema: JsonSchema, componentOf: (ref: string) => JsonSchema | undefined): unknown {
  const of = (part: unknown): unknown => exampleOf((part ?? {}) as JsonSchema, componentOf)
  const {
    examples,
    $ref,
    allOf,
    anyOf,
    oneOf = anyOf,
    type,
    items,
    properties,
    required = [],
    format,
    minimum = 1,
  } = schema
  if (Array.isArray(examples)) return examples[0]
  if ('const' in schema) return schema.const
  if (typeof $ref === 'string') return of(componentOf($ref))
  if (Array.isArray(allOf)) {
    const parts = allOf.map(of)
    return parts.every(isObject) ? Object.assign({}, ...parts) : undefined
  }
  if (Array.isArray(oneOf)) return of(oneOf[0])
  if (type === 'array') {
    const item = Number(schema.minItems ?? 0) > 1 ? undefined : of(items)
    return item === undefined ? undefined : [item]
  }
  if (type === 'object' && properties) {
    const wanted = Object.entries(properties).filter(([name]) => (required as readonly string[]).includes(name))
    const values = wanted.map(([name, part]) => [name, of(part)] as const)
    return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
  }
  if (type === 'integer') return LIMITS.some(limit => limit in schema) ? undefined : Math.max(1, minimum as number)
  if (type === 'null') return null
  return FORMATS[String(format)]
}

const LIMITS = ['maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

export const EXAMPLE_TIME = '2026-01-15T10:30:00.000000Z'

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '019bc134-7840-7d21-9c3e-5f0a8b6d4e12',
  'date-time': EXAMPLE_TIME,
}

/** An example of an envelope, if the example of its data is known. */
export function envelopeExample(
  { properties }: JsonSchema,
  componentOf: (ref: string) => JsonSchema | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const values = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => {
    if (name === 'message') return [name, ''] as const
    if (name === 'count') return [name, 1] as const
    const mayBeNull = Array.isArray(schema.type) && schema.type.includes('null')
    return [name, mayBeNull ? null : exampleOf(schema, componentOf)] as const
  })
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
