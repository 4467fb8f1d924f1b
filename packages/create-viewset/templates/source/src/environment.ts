import { z } from 'zod'
import { readVariables } from './variables.ts'

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  API_KEY: z.string().min(20),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export const readEnvironment = () => readVariables(Environment)
