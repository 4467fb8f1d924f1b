import * as z from 'zod'
import { type Wire, wireName } from '../core/wire-names.ts'
import type { JsonSchema } from './json-schema.ts'

/** A function, because loading Zod takes time. */
export type ReportSchema = () => z.ZodObject

/** The readonly type of a report's Zod schema. */
export type Report<S extends () => z.ZodType> = ForReading<z.infer<ReturnType<S>>>

type ForReading<T> = T extends object
  ? keyof T extends never
    ? T
    : { readonly [K in keyof T]: ForReading<Exclude<T[K], undefined>> }
  : T

interface Described {
  readonly schema: JsonSchema
  readonly names: readonly (readonly [name: string, wire: string])[]
}

const described = new WeakMap<ReportSchema, Described>()

export function reportSchema(report: ReportSchema): JsonSchema {
  return describedOf(report).schema
}

/** The report in JSON. Keys that its schema does not name are left out. */
export function wireReport<S extends ReportSchema>(report: S, value: Report<S>): Wire<Report<S>> {
  const values: Readonly<Record<string, unknown>> = value
  const sent = describedOf(report).names.filter(([name]) => values[name] !== undefined)
  return Object.fromEntries(sent.map(([name, wire]) => [wire, values[name]])) as Wire<Report<S>>
}

function describedOf(report: ReportSchema): Described {
  const known = described.get(report)
  if (known) return known
  const { $schema, ...schema } = z.toJSONSchema(report(), { io: 'input', unrepresentable: 'any' })
  const { properties, required = [], ...rest } = plain(schema)
  const members = properties as Readonly<Record<string, JsonSchema>>
  const names = Object.keys(members).map(name => [name, wireName(name)] as const)
  const made = {
    schema: {
      ...rest,
      properties: Object.fromEntries(names.map(([name, wire]) => [wire, members[name]])),
      required: (required as readonly string[]).map(wireName),
    },
    names,
  }
  described.set(report, made)
  return made
}

/** Without what Zod adds to every number and key, and with alternatives as a list of types. */
function plain(schema: JsonSchema): JsonSchema {
  const { propertyNames, ...inside } = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, isSchema(value) ? plain(value) : plainList(value)]),
  )
  if (inside.maximum === Number.MAX_SAFE_INTEGER) delete inside.maximum
  return withTypes(asList(inside))
}

function plainList(value: unknown): unknown {
  return Array.isArray(value) ? value.map(item => (isSchema(item) ? plain(item) : item)) : value
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Generators of clients do not know pairs, so a pair becomes a list of two items. */
function asList({ prefixItems, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(prefixItems)) return schema
  return { ...schema, items: {}, minItems: prefixItems.length, maxItems: prefixItems.length }
}

/** Each keyword except `enum` is about one type, so alternatives of different types can stand in one schema. */
function withTypes({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return schema
  const type = anyOf.flatMap(alternative => alternative.type)
  const values = anyOf.flatMap(alternative => alternative.enum ?? [])
  return {
    ...Object.assign({}, ...anyOf),
    ...schema,
    type,
    ...(values.length > 0 && { enum: [...values, ...(type.includes('null') ? [null] : [])] }),
  }
}
