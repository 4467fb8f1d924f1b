import { z } from 'zod'
import { readVariables } from './variables.ts'

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  API_KEY: z.string().min(20),
})

export const readEnvironment = () => readVariables(Environment)
