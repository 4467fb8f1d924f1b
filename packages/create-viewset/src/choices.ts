import type { DATABASES, FRAMEWORKS } from './parts.ts'

/** What a project is to be. */
export interface Choices {
  /** Where it is written, as it was said: `my-api`, `services/shop`, `.`. */
  readonly folder: string
  readonly database: keyof typeof DATABASES
  readonly framework: keyof typeof FRAMEWORKS
  /** Whether it begins with two resources to look at. */
  readonly example: boolean
  /** Whether its packages are installed. */
  readonly install: boolean
}

/** What is taken where nothing is said. */
export const DEFAULTS: Choices = {
  folder: 'my-api',
  database: 'sqlite',
  framework: 'fastify',
  example: true,
  install: true,
}
