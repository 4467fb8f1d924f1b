// The parts of `npm run test:long`. CONTRIBUTING.md says which part belongs to which folder of src/.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The folders that tests lie in, below the root of the repository. */
type Workspace = 'packages/viewset' | 'packages/viewset-tools' | 'packages/create-viewset' | 'examples/atlas'

/** Some files of tests that run together, in at most ten minutes on two cores. */
export interface LongPart {
  /** The files, as globs below a workspace. */
  readonly files: Readonly<Partial<Record<Workspace, readonly string[]>>>
  readonly exclude?: readonly string[]
  /** Files run side by side; by default one after the other, since many measure time and memory. */
  readonly isParallel?: boolean
  /** What serves the API of each test. */
  readonly face?: 'fetch' | 'node'
  /** The databases are behind PgBouncer. */
  readonly isPooled?: boolean
}

/** Files of `test/long`, by their names. */
function long(...names: readonly string[]): Pick<LongPart, 'files'> {
  return { files: { 'packages/viewset': names.map(name => `test/long/${name}.test.ts`) } }
}

/** The tests of `npm test` whose text matches a pattern. */
function testsWith(pattern: RegExp): readonly string[] {
  const folder = join(root, 'packages/viewset')
  return globSync('test/**/*.test.ts', { cwd: folder })
    .filter(path => !/^test\/(long|browser|house)\//.test(path))
    .filter(path => pattern.test(readFileSync(join(folder, path), 'utf8')))
}

/** Tests about Fastify itself, which no other server can pass. */
const OF_FASTIFY = ['test/http/hosts.test.ts', 'test/http/hooks-of-others.test.ts']
/** Tests of what only a server of Node sees. */
const OF_NODE = ['test/http/node-connections.test.ts']

/** The contract suite over another face than Fastify's. */
function over(face: 'fetch' | 'node', exclude: readonly string[]): LongPart {
  return {
    files: { 'packages/viewset': ['test/**/*.test.ts'] },
    exclude: ['test/{long,browser,house,faces,tabular,unit}/**', ...exclude],
    isParallel: true,
    face,
  }
}

/** The folders of tests that send SQL. */
const SQL = ['bulk', 'export', 'relations', 'writes', 'reads', 'jobs']
const IMPORTS = ['http', 'upload', 'policies-http', 'transactions', 'replace']

export const LONG_PARTS = {
  imports: long('imports', 'preview', 'hostile-files', 'hostile-workbooks'),
  million: long('million-rows-killed'),
  jobs: long('job-kills'),
  exports: long('export', 'tabular', 'costs'),
  requests: long('described-requests', 'hostile-bodies', 'json-body'),
  models: {
    files: {
      ...long('round-trips', 'world').files,
      'packages/viewset-tools': ['test/long/index-advice.test.ts'],
    },
  },
  databases: long(
    'disk-full',
    'lost-transactions',
    'prepared-statements',
    'processes',
    'reader-threads',
    'replicas',
    'timeouts',
  ),
  bench: long('bench'),
  histories: long('histories'),
  clients: long('bounded-caches', 'connections', 'stopped-readers'),
  programs: {
    files: {
      'packages/viewset': ['faces', 'framework-examples', 'runtimes', 'site'].map(name => `test/long/${name}.test.ts`),
      'packages/viewset-tools': ['test/long/add-resource.test.ts'],
      'packages/create-viewset': ['test/long/*.test.ts'],
    },
  },
  atlas: {
    files: { 'examples/atlas': ['test/programs/atlas.test.ts', 'test/long/*.test.ts'] },
    exclude: ['test/long/document.test.ts'],
  },
  document: { files: { 'examples/atlas': ['test/long/document.test.ts'] } },
  // Property tests with all of their cases.
  properties: { files: { 'packages/viewset': testsWith(/\bfc\.|\bcases\(/) }, isParallel: true },
  // Suites that say nothing about SQL, on PostgreSQL as well.
  postgres: { files: { 'packages/viewset': testsWith(/\bdescribeOneDialect\(/) }, isParallel: true },
  fetch: over('fetch', [...OF_FASTIFY, ...OF_NODE]),
  node: over('node', OF_FASTIFY),
  pgbouncer: {
    files: {
      'packages/viewset': [
        ...SQL.map(name => `test/${name}/**/*.test.ts`),
        ...IMPORTS.map(name => `test/import/${name}.test.ts`),
      ],
    },
    // The pool of an application there asks for a time zone of its own, in a way that PgBouncer refuses.
    exclude: ['test/writes/with-transaction.test.ts'],
    isParallel: true,
    isPooled: true,
  },
} satisfies Record<string, LongPart>

export type LongPartName = keyof typeof LONG_PARTS

/** The environment variable that names the part to `vitest.long.config.ts`. */
export const PART_VARIABLE = 'VIEWSET_LONG_PART'
