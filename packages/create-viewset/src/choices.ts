/** The databases that a project may have, and what a person reads of them. */
export const DATABASES = {
  sqlite: 'SQLite: a file, nothing to set up',
  postgres: 'PostgreSQL: with a compose file',
} as const

/** The frameworks that a project may have, and what a person reads of them. */
export const FRAMEWORKS = {
  fastify: 'Fastify',
} as const

export type DatabaseName = keyof typeof DATABASES
export type FrameworkName = keyof typeof FRAMEWORKS

/** What a project is to be. */
export interface Choices {
  /** Where it is written, as it was said: `my-api`, `services/shop`, `.`. */
  readonly folder: string
  readonly database: DatabaseName
  readonly framework: FrameworkName
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
