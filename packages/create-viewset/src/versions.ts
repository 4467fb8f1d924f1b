/** The versions of all packages that a project may have: those that this repository's tests run with. */
export const VERSIONS: Readonly<Record<string, string>> = {
  '@types/node': '^24.0.0',
  '@types/pg': '^8.23.1',
  'better-sqlite3': '^13.2.0',
  'close-with-grace': '^2.5.0',
  'drizzle-kit': '^0.31.11',
  'drizzle-orm': '^0.45.4',
  fastify: '^5.12.8',
  pg: '^8.23.1',
  'swagger-ui-dist': '^5.35.0',
  typescript: '^7.0.2',
  viewset: '^0.1.0',
  zod: '^4.6.7',
}
