import type { JsonSchema } from '../kinds/json-schema.ts'
import type { ReadContext, ValueInfo } from '../kinds/kind.ts'
import { exampleValues, kindOf } from '../kinds/kinds.ts'
import { zodAccepts } from '../kinds/zod-input.ts'
import type { ManyField, SerializerField, StoredField } from './fields.ts'

type Example = Readonly<Record<string, unknown>>

/** Examples name their zone themselves. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/**
 * What a client could send for one record: for each field a value that its type and its rules accept. `undefined` where
 * none is known for a field that is required: no example is better than a wrong one.
 */
export function inputExample(fields: readonly (StoredField | ManyField)[]): Example | undefined {
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

/** What a client could get of one record; `undefined` where that is not known of a field, such as of a function's. */
export function outputExample(fields: readonly SerializerField[]): Example | undefined {
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

/** A value that was sent as it is shown once it is stored. */
function shownValue(info: ValueInfo, given: unknown): unknown {
  const result = kindOf(info).schema(info, IN_UTC).safeParse(given)
  return typeof result.data === 'bigint' ? Number(result.data) : result.data
}

function examplesOf({ examples }: JsonSchema): readonly unknown[] {
  return Array.isArray(examples) ? examples : []
}
