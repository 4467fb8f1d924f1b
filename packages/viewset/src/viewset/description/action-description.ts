import * as z from 'zod'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { zodAccepts, zodInput } from '../../kinds/zod-input.ts'
import type { ActionSpec } from '../actions.ts'
import { changedDescription, type RouteDescription } from './route-description.ts'

export function describeAction(action: string, { input, output, describes }: ActionSpec): RouteDescription {
  const own: RouteDescription = {
    summary: sentenceOf(action),
    ...(input && { body: zodInput(input), bodyOptional: zodAccepts(input, undefined) }),
    data: output ? dataOf(output) : {},
  }
  return changedDescription(own, describes)
}

/** An `undefined` result is sent as null. */
function dataOf(output: z.ZodType): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' })
  return zodAccepts(output, undefined) && !zodAccepts(output, null) ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** `markAsRead` -> `Mark as read.` */
export function sentenceOf(action: string): string {
  const words = action
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z0-9])[A-Z]/g, letter => ` ${letter}`)
    .toLowerCase()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
