import { existsSync } from 'node:fs'
import { z } from 'zod'
import { StartError } from './explain.ts'

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  API_KEY: z.string().min(20),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/**
 * What the environment says; what it does not say is read from the file `.env`, if there is one.
 *
 * @throws StartError that names what is missing or wrong
 */
export function readEnvironment(): z.infer<typeof Environment> {
  if (existsSync('.env')) process.loadEnvFile()
  const { data, error } = Environment.safeParse(process.env)
  if (data) return data
  throw new StartError(`The environment is not right; see .env.example.\n${z.prettifyError(error)}`)
}
