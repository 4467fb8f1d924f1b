/** What a choice brings into a project. */
export interface Part {
  /** What a person reads of it. */
  readonly label: string
  /** Folders of templates. */
  readonly folders: readonly string[]
  /** Packages that the application runs with. */
  readonly dependencies: readonly string[]
  /** Packages that are for its developers only. */
  readonly devDependencies: readonly string[]
}

export const BASE = {
  label: '',
  folders: ['base'],
  dependencies: ['close-with-grace', 'drizzle-orm', 'swagger-ui-dist', 'viewset', 'zod'],
  devDependencies: ['@types/node', 'drizzle-kit', 'typescript'],
} satisfies Part

export const DATABASES = {
  sqlite: {
    label: 'SQLite: a file, nothing to set up',
    folders: ['sqlite'],
    dependencies: ['better-sqlite3'],
    devDependencies: [],
  },
  postgres: {
    label: 'PostgreSQL: with a compose file that starts one',
    folders: ['postgres'],
    dependencies: ['pg'],
    devDependencies: ['@types/pg'],
  },
} satisfies Record<string, Part>

export const FRAMEWORKS = {
  fastify: {
    label: 'Fastify',
    folders: ['fastify'],
    dependencies: ['fastify'],
    devDependencies: [],
  },
  express: {
    label: 'Express',
    folders: ['node-server', 'express'],
    dependencies: ['express', 'pino'],
    devDependencies: ['@types/express', 'light-my-request'],
  },
  hono: {
    label: 'Hono',
    folders: ['node-server', 'hono'],
    dependencies: ['@hono/node-server', 'hono', 'pino'],
    devDependencies: ['light-my-request'],
  },
  node: {
    label: 'None: the HTTP server of Node',
    folders: ['node-server', 'node'],
    dependencies: ['pino'],
    devDependencies: ['light-my-request'],
  },
} satisfies Record<string, Part>
