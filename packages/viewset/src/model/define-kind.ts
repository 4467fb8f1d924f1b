import * as z from 'zod'
import { checkOptions, required, type SettingRule, setting } from '../core/setting-rules.ts'
import { asItIs } from '../kinds/cells.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Kind, ReadContext, ValueInfo } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { asStored } from '../kinds/text.ts'
import { zodInput } from '../kinds/zod-input.ts'
import type { KindOptions, OwnKind } from './kit.ts'

const RULES: Readonly<Record<keyof KindOptions<unknown>, SettingRule>> = {
  column: required(setting.function, 'name the column that keeps the values: c => c.text(20)'),
  schema: setting.function,
  jsonSchema: setting.object,
  readCell: setting.function,
  expected: setting.text,
  note: setting.text,
  examples: setting.list,
}

/**
 * Defines a kind of value: money, a phone number, a point on a map. A column of the kit stores it, so that every
 * database can hold it. The kind has its own rules, form in files and description. Use it as `c.kind(money)`.
 *
 * @throws ConfigError for an unknown option, and without a column.
 * @example
 * const money = defineKind('money', {
 *   column: c => c.decimal(12, 2),
 *   schema: amount => amount.refine(value => !value.startsWith('-'), 'An amount is not negative.'),
 *   note: 'An amount in euro, such as 12.50.',
 *   examples: ['12.50'],
 * })
 */
export function defineKind<T>(name: string, options: KindOptions<T>): OwnKind<T> {
  checkOptions(`defineKind('${name}')`, RULES, options)
  return { ...options, name }
}

export function kindFrom<T>(customKind: OwnKind<T>, info: ValueInfo): Kind {
  const base = kindOf(info)
  const { name, schema, jsonSchema, readCell, expected, note, examples } = customKind
  return {
    ...base,
    name,
    comparedAs: base.comparedAs ?? info.kind,
    ...(schema && withSchema(base, schema)),
    jsonSchema: column => {
      const { input, output, ...held } = base.jsonSchema(column)
      const additions = { ...(note !== undefined && { description: note }), ...jsonSchema }
      // The schema may change the value.
      const read = schema ? inputOf(schema, base.schema(column, IN_UTC) as z.ZodType<T>, input) : input
      return { input: { ...read, ...additions }, output: { ...output, ...additions }, ...(!schema && held) }
    },
    ...(readCell && { readCell: cell => readCell(asItIs(cell) as string | number | boolean) }),
    ...(expected !== undefined && { expected: () => expected }),
    ...(note !== undefined && { note: () => note }),
    ...(examples && { examples: () => examples }),
  }
}

/** The zone does not change the form of a datetime. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** JSON Schema of the kind's own schema, which may extend the column's schema. `input` describes the column. */
function inputOf<T>(schema: (column: z.ZodType<T>) => z.ZodType, column: z.ZodType<T>, input: JsonSchema): JsonSchema {
  // `refine` copies the schema, but this part stays the same object.
  const place = z.unknown()
  try {
    return zodInput(schema(place.pipe(column)), new Map([[place, input]]))
  } catch {
    // The schema calls a method that only the column's schema has. Its refinements are unknown.
    return input
  }
}

function withSchema<T>(base: Kind, refine: (column: z.ZodType<T>) => z.ZodType): Partial<Kind> {
  const schema: Kind['schema'] = (info, context) => refine(base.schema(info, context) as z.ZodType<T>)
  // A filter may contain a value that breaks the rules, such as all amounts above a negative one.
  const asked = (info: ValueInfo, value: unknown, context: ReadContext) => {
    const result = value === undefined ? undefined : schema(asStored(info), context).safeParse(value)
    return result?.success ? result.data : value
  }
  return {
    schema,
    // The column's quick check does not know the rules.
    plainCheck: () => undefined,
    readText: (info, text, context) => asked(info, base.readText(info, text, context), context),
    // A key is independent of the client's time zone.
    readKey: (info, text) => asked(info, base.readKey(info, text), { timeZone: 'UTC' }),
  }
}
