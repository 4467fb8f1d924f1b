import type { ReadContext, ValueInfo } from '../kinds/kind.ts'
import { exampleValues, kindOf } from '../kinds/kinds.ts'
import { zodAccepts } from '../kinds/zod-input.ts'
import { isReadable, isWritable, type ManyField, type SerializerField, type WrittenField } from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'

export type Example = Readonly<Record<string, unknown>>

/** The value that a column has in examples; `undefined` for one by its kind and name. */
export type ChosenValue = (column: ValueInfo) => unknown

const nothingChosen: ChosenValue = () => undefined

/** Example datetimes have a zone. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** A client chooses a primary key once; later it identifies the record. */
export function isChangeable(field: WrittenField): boolean {
  return field.kind !== 'stored' || !field.column.primaryKey
}

/** The examples of a serializer, by the schema of the requests and responses that they are for. */
export function recordExamples(
  { fields, ...serializer }: ModelSerializer,
  chosen: ChosenValue,
): ReadonlyMap<object, Example | undefined> {
  const writable = fields.filter(isWritable)
  const changeable = writable.filter(isChangeable)
  return new Map([
    // The schema of a create may be the same: its example replaces this one.
    [serializer.inputSchema({ existing: true }), inputExample(changeable, chosen)],
    [serializer.inputSchema(), inputExample(writable, chosen)],
    [serializer.inputSchema({ partial: true }), inputExample(changeable.slice(0, 1), chosen)],
    [serializer.outputSchema(), outputExample(fields.filter(isReadable), chosen)],
  ])
}

/**
 * An example request: a valid value for each field. `undefined` if a required field has none, because no example is
 * better than a wrong one.
 */
export function inputExample(fields: readonly WrittenField[], chosen = nothingChosen): Example | undefined {
  const all = fields.map(field => [field, inputValue(field, chosen)] as const)
  const known = all.filter(([, value]) => value !== undefined)
  if (known.length === 0 || all.some(([field, value]) => value === undefined && field.required)) return undefined
  return Object.fromEntries(known.map(([{ wire }, value]) => [wire, value]))
}

function inputValue(field: WrittenField, chosen: ChosenValue): unknown {
  const schema = field.schema(IN_UTC)
  return candidates(field, chosen).find(value => zodAccepts(schema, value))
}

function candidates(field: WrittenField, chosen: ChosenValue): readonly unknown[] {
  if (field.kind === 'many') return listCandidates(field, chosen)
  // Only its schema knows what an input takes.
  if (field.kind === 'input') return ['example text', 'example@example.org', 1, true, {}, []]
  const { column, relation } = field
  if (relation?.write === 'data' && relation.serializer) {
    return [inputExample(relation.serializer.fields.filter(isWritable), chosen)]
  }
  if (relation?.write === 'str' && relation.str) return valuesOf(relation.str, chosen)
  const key = relation ? chosen(relation.target) : undefined
  return key === undefined ? valuesOf(column, chosen) : [key, ...valuesOf(column, chosen)]
}

function listCandidates({ relation, write, str, serializer }: ManyField, chosen: ChosenValue): readonly unknown[] {
  if (!serializer || write === 'id' || write === 'str') {
    return valuesOf((write === 'str' && str) || relation.relatedKey, chosen).map(value => [value])
  }
  const isOwner = (field: WrittenField) => field.kind === 'stored' && field.column === relation.source
  const example = inputExample(
    serializer.fields.filter(isWritable).filter(field => !isOwner(field)),
    chosen,
  )
  return [example ? [example] : []]
}

/** An example response; `undefined` if a field's value is unknown, such as a function's. */
export function outputExample(fields: readonly SerializerField[], chosen = nothingChosen): Example | undefined {
  const entries = fields.map(field => [field.wire, outputValue(field, chosen)] as const)
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}

function outputValue(field: SerializerField, chosen: ChosenValue): unknown {
  if (field.kind === 'computed' || field.kind === 'input') return undefined
  if (field.kind === 'expression') return firstValue(field.value, chosen)
  const shownOf = (serializer: ModelSerializer) => outputExample(serializer.fields.filter(isReadable), chosen)
  if (field.kind === 'many') {
    const { serializer, read, str, relation } = field
    const example =
      read === 'data' && serializer
        ? shownOf(serializer)
        : firstValue((read === 'str' && str) || relation.relatedKey, chosen)
    return example === undefined ? [] : [example]
  }
  const { column, nested, readOnly, relation } = field
  if (!nested) {
    const value = readOnly || relation ? valuesOf(column, chosen)[0] : inputValue(field, chosen)
    return value === undefined && column.nullable ? null : shownValue(column, value)
  }
  const { read, str, serializer, target } = nested
  if (read === 'str' && str) return firstValue(str, chosen)
  if (read === 'id') return firstValue(target, chosen)
  return read === 'custom' || !serializer ? undefined : shownOf(serializer)
}

function firstValue(info: ValueInfo, chosen: ChosenValue): unknown {
  return shownValue(info, valuesOf(info, chosen)[0])
}

/** The examples of a value, the chosen one first. */
function valuesOf(info: ValueInfo, chosen: ChosenValue): readonly unknown[] {
  const value = chosen(info)
  const isFit = value !== undefined && kindOf(info).schema(info, IN_UTC).safeParse(value).success
  return isFit ? [value, ...exampleValues(info)] : exampleValues(info)
}

function shownValue(info: ValueInfo, given: unknown): unknown {
  const result = kindOf(info).schema(info, IN_UTC).safeParse(given)
  return typeof result.data === 'bigint' ? Number(result.data) : result.data
}
