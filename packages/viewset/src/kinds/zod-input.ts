import * as z from 'zod'
import type { JsonSchema } from './json-schema.ts'

/**
 * What a Zod schema takes, as JSON Schema. A value that it changes before it judges that, as `z.string().trim().max(5)`
 * does, is told by its type only. `known` are schemas of which more is known than Zod tells.
 */
export function zodInput(schema: z.ZodType, known?: ReadonlyMap<unknown, JsonSchema>): JsonSchema {
  const { $schema, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, known?.get(zodSchema))
      // Of TypeScript, as in `.readonly()`. In OpenAPI it would mean that nobody may send it.
      delete jsonSchema.readOnly
      if (!zodSchema._zod.def.checks?.some(({ _zod }) => _zod.def.check === 'overwrite')) return
      for (const keyword of Object.keys(jsonSchema)) if (keyword !== 'type') delete jsonSchema[keyword]
    },
  })
  // References are about the whole that Zod has made, which is known by this.
  return JSON.stringify(described).includes('"$ref"') ? { $schema, ...described } : described
}
