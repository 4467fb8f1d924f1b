import type * as z from 'zod'

/** Whether a Zod schema takes a value, for a description. What its own functions stumble over, it does not take. */
export function zodAccepts(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success
  } catch {
    return false
  }
}
