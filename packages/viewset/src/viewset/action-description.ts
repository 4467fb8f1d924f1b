import * as z from 'zod'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { ActionSpec } from './actions.ts'
import { changedDescription, type RouteDescription } from './route-description.ts'

/** What a custom action takes and gives, as far as it declares it: without an `output`, any data. */
export function describeAction(action: string, { input, output, describes }: ActionSpec): RouteDescription {
  const own: RouteDescription = {
    summary: sentenceOf(action),
    ...(input && { body: schemaOf(input, 'input'), bodyOptional: accepts(input, undefined) }),
    data: output ? dataOf(output) : {},
  }
  return changedDescription(own, describes)
}

/** What is not there is sent as null. */
function dataOf(output: z.ZodType): JsonSchema {
  const schema = schemaOf(output, 'output')
  return accepts(output, undefined) && !accepts(output, null) ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** What a schema's own functions stumble over, it does not accept. */
function accepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success
  } catch {
    return false
  }
}

/** `markAsRead` -> `Mark as read.` */
export function sentenceOf(action: string): string {
  const words = action
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z0-9])[A-Z]/g, letter => ` ${letter}`)
    .toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // Of TypeScript, as in `.readonly()`. In OpenAPI it would mean that nobody may send it.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly
    },
  })
}
