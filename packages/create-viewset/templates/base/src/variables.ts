import { existsSync } from 'node:fs'
import { z } from 'zod'
import { StartError } from './explain.ts'

/**
 * What the environment says; what it does not say is read from the file `.env`, if there is one.
 *
 * @throws StartError that names what is missing or wrong
 */
export function readVariables<Variables>(schema: z.ZodType<Variables>): Variables {
  if (existsSync('.env')) process.loadEnvFile()
  const parsed = schema.safeParse(process.env)
  if (parsed.success) return parsed.data
  throw new StartError(`The environment is not right; see .env.example.\n${z.prettifyError(parsed.error)}`)
}
