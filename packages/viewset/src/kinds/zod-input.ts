import * as z from 'zod'
import type { JsonSchema } from './json-schema.ts'

/**
 * JSON Schema of a Zod schema's input. If the schema changes a value before it checks it, as `z.string().trim().max(5)`
 * does, only the type is described. `known` overrides the description of given schemas.
 */
export function zodInput(schema: z.ZodType, known?: ReadonlyMap<unknown, JsonSchema>): JsonSchema {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, known?.get(zodSchema))
      // `readOnly` comes from TypeScript's `.readonly()`. In OpenAPI it would mean that clients must not send it.
      delete jsonSchema.readOnly
      if (!zodSchema._zod.def.checks?.some(({ _zod }) => _zod.def.check === 'overwrite')) return
      for (const keyword of Object.keys(jsonSchema)) if (keyword !== 'type') delete jsonSchema[keyword]
    },
  })
  // References point into the whole schema; `$schema` marks its root.
  return JSON.stringify(described).includes('"$ref"') ? { $schema, ...described } : described
}

export function zodAccepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success
  } catch {
    return false
  }
}
