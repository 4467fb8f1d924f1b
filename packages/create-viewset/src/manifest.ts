import type { Choices, DatabaseName, FrameworkName } from './choices.ts'
import { VERSIONS } from './versions.ts'

/** The packages of a part of a project. */
interface Packages {
  readonly run: readonly string[]
  readonly develop: readonly string[]
}

const COMMON: Packages = {
  run: ['close-with-grace', 'drizzle-orm', 'swagger-ui-dist', 'viewset', 'zod'],
  develop: ['@types/node', 'drizzle-kit', 'typescript'],
}

const OF_DATABASE: Readonly<Record<DatabaseName, Packages>> = {
  sqlite: { run: ['better-sqlite3'], develop: [] },
  postgres: { run: ['pg'], develop: ['@types/pg'] },
}

const OF_FRAMEWORK: Readonly<Record<FrameworkName, Packages>> = {
  fastify: { run: ['fastify'], develop: [] },
}

/** The text of `package.json`: what the template says, and the packages that go with the choices. */
export function manifestOf(template: string, { database, framework }: Choices): string {
  const parts = [COMMON, OF_DATABASE[database], OF_FRAMEWORK[framework]]
  const manifest = {
    ...JSON.parse(template),
    dependencies: withVersions(parts.flatMap(({ run }) => run)),
    devDependencies: withVersions(parts.flatMap(({ develop }) => develop)),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** In the order in which npm keeps them. */
function withVersions(names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.toSorted().map(name => [name, VERSIONS[name]]))
}
