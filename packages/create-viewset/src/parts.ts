/** The contents that a choice adds to a project. */
export interface Part {
  /** The text for the user. */
  readonly label: string
  /** Folders of templates; `*` stands for `example` or `empty`. */
  readonly folders: readonly string[]
  /** Packages that the application needs at run time. */
  readonly dependencies: readonly string[]
  /** Packages that only its developers need. */
  readonly devDependencies: readonly string[]
  /** Commands of `package.json` that differ from other projects. */
  readonly scripts?: Readonly<Record<string, string>>
}

/** What a project begins with; its folder stands for `*` in the folders of the other parts. */
export const CONTENTS = {
  example: {
    label: 'authors and books',
    folders: ['example'],
    dependencies: [],
    devDependencies: [],
    scripts: { seed: 'node src/migrate.ts && viewset import books.csv --resource books --append' },
  },
  empty: { label: 'no resource', folders: ['empty'], dependencies: [], devDependencies: [] },
} satisfies Record<string, Part>

export const BASE = {
  label: '',
  folders: ['base'],
  dependencies: ['drizzle-orm', 'swagger-ui-dist', 'viewset', 'zod'],
  devDependencies: ['@types/node', 'drizzle-kit', 'typescript', 'viewset-tools'],
} satisfies Part

export const DATABASES = {
  sqlite: {
    label: 'SQLite: a file, nothing to set up',
    folders: ['sqlite', '*-sqlite'],
    dependencies: ['better-sqlite3'],
    devDependencies: [],
  },
  postgres: {
    label: 'PostgreSQL: with a compose file that starts one',
    folders: ['postgres', '*-postgres'],
    dependencies: ['pg'],
    devDependencies: ['@types/pg'],
  },
} satisfies Record<string, Part>

/** Node runs the sources. */
const FROM_SOURCE = {
  start: 'node start.js',
  dev: 'node --watch start.js',
  build: 'tsc -p tsconfig.build.json',
  test: 'node --test "test/**/*.test.ts"',
}

export const FRAMEWORKS = {
  fastify: {
    label: 'Fastify',
    folders: ['server', 'source', 'fastify'],
    dependencies: ['close-with-grace', 'fastify'],
    devDependencies: [],
    scripts: FROM_SOURCE,
  },
  express: {
    label: 'Express',
    folders: ['server', 'source', 'node-server', 'express'],
    dependencies: ['close-with-grace', 'express', 'pino'],
    devDependencies: ['@types/express', 'light-my-request'],
    scripts: FROM_SOURCE,
  },
  hono: {
    label: 'Hono',
    folders: ['server', 'source', 'node-server', 'hono'],
    dependencies: ['@hono/node-server', 'close-with-grace', 'hono', 'pino'],
    devDependencies: ['light-my-request'],
    scripts: FROM_SOURCE,
  },
  next: {
    label: 'Next.js',
    folders: ['next', '*-next'],
    dependencies: ['next', 'react', 'react-dom'],
    devDependencies: ['@types/react'],
    scripts: {
      start: 'node src/migrate.ts && next build && next start -H 127.0.0.1',
      dev: 'next dev -H 127.0.0.1',
      build: 'next build',
      test: 'node --test "test/**/*.test.ts"',
    },
  },
  nest: {
    label: 'NestJS',
    folders: ['server', 'nest'],
    dependencies: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
    devDependencies: ['@types/express', 'light-my-request'],
    scripts: {
      start: 'node start.js',
      dev: 'node --watch-path=src start.js',
      build: 'tsc -p tsconfig.build.json',
      test: 'tsc --noEmit false --outDir dist/tested && node --test "dist/tested/test/**/*.test.js"',
    },
  },
  node: {
    label: 'None: the HTTP server of Node',
    folders: ['server', 'source', 'node-server', 'node'],
    dependencies: ['close-with-grace', 'pino'],
    devDependencies: ['light-my-request'],
    scripts: FROM_SOURCE,
  },
} satisfies Record<string, Part>
