import type * as z from 'zod'
import type { JsonSchema } from '../kinds/json-schema.ts'
import { SOME_CHARACTER } from '../kinds/text.ts'
import { zodInput } from '../kinds/zod-input.ts'

/** A column's schema together with what a refinement says beyond it. */
export function refinedSchema(column: JsonSchema, refinement: z.ZodType): JsonSchema {
  const { title: _, ...rules } = zodInput(refinement)
  if (Object.keys(rules).length === 0) return column
  // A column that takes anything adds nothing.
  if (Object.keys(column).length === 0) return rules
  return narrowed(column, rules) ?? { ...column, allOf: [rules] }
}

/** How the narrower of two limits is found. */
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

/** Keywords that mean the same beside whichever others, of which a schema has one. */
const SINGLE = new Set(['description', 'enum', 'format', 'multipleOf', 'pattern'])

/** Both schemas as one that is easier to read; `undefined` where they have to stand side by side. */
function narrowed(schema: JsonSchema, rules: JsonSchema): JsonSchema | undefined {
  if (typeof schema.type !== 'string') return undefined
  const merged: Record<string, unknown> = { ...schema }
  for (const [keyword, value] of Object.entries(rules)) {
    const known = merged[keyword]
    const limit = LIMITS[keyword]
    // A number that is an integer is one.
    const isKnown = known === value || (keyword === 'type' && known === 'integer' && value === 'number')
    if (keyword === 'pattern' && known === SOME_CHARACTER && !takesBlanks(value)) merged[keyword] = value
    else if (limit) merged[keyword] = known === undefined ? value : limit(known as number, value as number)
    else if (SINGLE.has(keyword) && known === undefined) merged[keyword] = value
    else if (!isKnown) return undefined
  }
  return merged
}

/** Whether a pattern lets blank texts pass; one that does not says enough by itself. */
function takesBlanks(pattern: unknown): boolean {
  const form = new RegExp(String(pattern), 'u')
  return form.test('') || form.test(' ')
}
