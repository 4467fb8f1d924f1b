import { z } from 'zod'
import { readVariables } from './variables.ts'

/** Nest's levels, from the most lines to the fewest. */
const LOG_LEVELS = ['verbose', 'debug', 'log', 'warn', 'error', 'fatal'] as const

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  API_KEY: z.string().min(20),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('log'),
})

export function readEnvironment() {
  const { LOG_LEVEL, ...variables } = readVariables(Environment)
  return { ...variables, logLevels: LOG_LEVELS.slice(LOG_LEVELS.indexOf(LOG_LEVEL)) }
}
