import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { JsonSchema, ModelSerializer } from 'viewset'
import { expect } from 'vitest'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
formats.default(ajv)
// What a query parameter says beside its schema.
ajv.addVocabulary(['purpose', 'field', 'lookup'])

const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** What a JSON Schema has against a value, by a reader that is not ours and takes no keyword or format for granted. */
export function schemaErrors(schema: JsonSchema, value: unknown): readonly string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Whether a JSON Schema accepts a value. */
export function accepts(schema: JsonSchema, value: unknown): boolean {
  return schemaErrors(schema, value).length === 0
}

/** Asserts that a serializer says of itself that it takes one object and shows the other. */
export function expectDescribed({ inputSchema, outputSchema }: ModelSerializer, sent: object, shown: object): void {
  expect([schemaErrors(inputSchema(), sent), schemaErrors(outputSchema(), shown)]).toEqual([[], []])
}
