import { existsSync } from 'node:fs'
import { z } from 'zod'
import { StartError } from './explain.ts'

/**
 * Reads variables of the environment. The file `.env`, if there is one, has those that the environment lacks.
 *
 * @throws StartError that names the missing or wrong variables
 */
export function readVariables<Variables>(schema: z.ZodType<Variables>): Variables {
  if (existsSync('.env')) process.loadEnvFile()
  const parsed = schema.safeParse(process.env)
  if (parsed.success) return parsed.data
  throw new StartError(`The environment is not right; see .env.example.\n${z.prettifyError(parsed.error)}`)
}
