import type { DATABASES, FRAMEWORKS } from './parts.ts'

export interface Choices {
  /** The folder as the user typed it: `my-api`, `services/shop`, `.`. */
  readonly folder: string
  readonly database: keyof typeof DATABASES
  readonly framework: keyof typeof FRAMEWORKS
  /** Whether the project starts with two example resources. */
  readonly example: boolean
  readonly install: boolean
}

export const DEFAULTS: Choices = {
  folder: 'my-api',
  database: 'sqlite',
  framework: 'fastify',
  example: true,
  install: true,
}
