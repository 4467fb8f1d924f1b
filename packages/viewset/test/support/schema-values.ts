import fc from 'fast-check'
import type { JsonSchema } from 'viewset'

/** What a document says, and what the API knows: values that a foreign key or an address can have. */
export interface ValueSources {
  readonly components: Readonly<Record<string, JsonSchema>>
  readonly known: readonly unknown[]
}

/** What no schema of ours takes, or hardly any. */
export const HOSTILE: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', '\u0000', '\ud800', '\u202e', [], {}, [[]], '1', 'null', 'x'.repeat(300)),
  fc.constantFrom<unknown>(-1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), Number.MAX_VALUE, 1e-300),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
)

const WORDS = ['name', 'length', 'toString', 'non_field_errors', 'id', 'index']

/** Values as a schema asks for them, as far as that can be drawn: whether one is right is for a validator to say. */
export function valuesOf(schema: JsonSchema, sources: ValueSources): fc.Arbitrary<unknown> {
  const { components, known } = sources
  const draw = (part: unknown) => valuesOf(part as JsonSchema, sources)
  const { $ref, allOf, anyOf, oneOf = anyOf, examples, ...own } = schema
  if (typeof $ref === 'string') return draw(components[$ref.split('/').at(-1) ?? ''] ?? {})
  if (Array.isArray(allOf)) return draw(merged([own, ...allOf], components))
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map(draw))
  if ('const' in own) return fc.constant(own.const)
  if (Array.isArray(own.enum)) return fc.constantFrom(...own.enum)
  const [type, ...others] = [own.type].flat()
  const drawn = ofType(type, own, draw, sources)
  const likely = known.filter(value => typeof value === (type === 'integer' ? 'number' : type))
  return fc.oneof(
    { arbitrary: drawn, weight: 6 },
    ...(likely.length > 0 ? [{ arbitrary: fc.constantFrom(...likely), weight: 3 }] : []),
    ...(others.length > 0 ? [{ arbitrary: draw({ ...own, type: others }), weight: 1 }] : []),
  )
}

function ofType(
  type: unknown,
  schema: JsonSchema,
  draw: (part: unknown) => fc.Arbitrary<unknown>,
  { components }: ValueSources,
): fc.Arbitrary<unknown> {
  const limit = (name: string, otherwise: number) => (typeof schema[name] === 'number' ? schema[name] : otherwise)
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: limit('minimum', -(2 ** 31)), max: limit('maximum', 2 ** 31 - 1) })
    case 'number':
      return fc.double({ min: limit('minimum', -1e9), max: limit('maximum', 1e9), noNaN: true })
    case 'array':
      return fc.array(draw(schema.items ?? {}), {
        minLength: limit('minItems', 0),
        maxLength: Math.max(limit('minItems', 0), Math.min(limit('maxItems', 4), 4)),
      })
    case 'object': {
      const { properties = {}, required = [] } = merged([schema], components)
      const record = Object.fromEntries(Object.entries(properties as object).map(([name, part]) => [name, draw(part)]))
      return fc.record(record, { requiredKeys: required as string[] })
    }
    case 'string':
      return texts(schema, limit('minLength', 0), limit('maxLength', 40))
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function texts({ format, pattern }: JsonSchema, minLength: number, maxLength: number): fc.Arbitrary<string> {
  if (typeof pattern === 'string' && !/\(\?|\\S/.test(pattern)) return fc.stringMatching(new RegExp(pattern))
  const instants = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return instants.map(date => date.toISOString())
  if (format === 'date') return instants.map(date => date.toISOString().slice(0, 10))
  if (format === 'time') return instants.map(date => date.toISOString().slice(11, 19))
  return fc.oneof(
    fc.string({ minLength, maxLength }),
    fc.string({ unit: 'grapheme', minLength, maxLength }),
    fc.constantFrom(...WORDS),
  )
}

/** Schemas that hold together, as one: what an outer one says stands before what an inner one does. */
function merged(schemas: readonly unknown[], components: ValueSources['components']): JsonSchema {
  const parts = schemas.flatMap(part => partsOf(part as JsonSchema, components))
  const properties = Object.assign({}, ...parts.map(part => part.properties))
  const required = [...new Set(parts.flatMap(part => (part.required as string[]) ?? []))]
  const all = Object.assign({}, ...parts.toReversed())
  return Object.keys(properties).length > 0 ? { ...all, properties, required } : all
}

function partsOf({ $ref, allOf, ...own }: JsonSchema, components: ValueSources['components']): readonly JsonSchema[] {
  const referred = typeof $ref === 'string' ? [components[$ref.split('/').at(-1) ?? ''] ?? {}] : []
  const inner = [...referred, ...((allOf as JsonSchema[]) ?? [])]
  return [own, ...inner.flatMap(part => partsOf(part, components))]
}
