import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULTS } from '../src/choices.ts'
import { writeProject } from '../src/project.ts'
import { VERSIONS } from '../src/versions.ts'
import { models } from '../templates/example/src/models.ts'
import { everyProject, filesOf, Projects } from './support/projects.ts'

let projects: Projects
beforeAll(async () => {
  projects = await Projects.create()
})
afterAll(() => projects.remove())

/** What can be said behind `npm run`, in every project alike. */
const COMMANDS = ['build', 'dev', 'migrate', 'migrations', 'openapi', 'start', 'test', 'typecheck']

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')
const manifestOf = (project: string) => JSON.parse(read(project, 'package.json'))

test('a project has what its framework, its database and the example bring', async () => {
  expect(await filesOf(await projects.write('files'))).toEqual([
    '.dockerignore',
    '.env',
    '.env.example',
    '.github/workflows/ci.yml',
    '.gitignore',
    '.npmrc',
    'Dockerfile',
    'README.md',
    'books.csv',
    'compose.yaml',
    'drizzle.config.ts',
    'migrations/0000_initial.sql',
    'migrations/meta/0000_snapshot.json',
    'migrations/meta/_journal.json',
    'package.json',
    'src/api.ts',
    'src/app.ts',
    'src/database.ts',
    'src/environment.ts',
    'src/explain.ts',
    'src/main.ts',
    'src/migrate.ts',
    'src/models.ts',
    'src/ready.ts',
    'src/resources/authors.ts',
    'src/resources/books.ts',
    'src/schema.ts',
    'src/users.ts',
    'src/variables.ts',
    'start.js',
    'test/books.test.ts',
    'test/support/api.ts',
    'test/support/database.ts',
    'tsconfig.build.json',
    'tsconfig.json',
    'viewset.config.ts',
  ])
})

test('one with Next has what Next looks for, and nothing that starts a server', async () => {
  const [fastify, next] = await Promise.all([
    projects.write('with-fastify').then(filesOf),
    projects.write('with-next', { framework: 'next' }).then(filesOf),
  ])
  expect(next.filter(file => !fastify.includes(file))).toEqual([
    'next.config.ts',
    'src/app/api/[[...path]]/route.ts',
    'src/app/health/route.ts',
    'src/app/layout.tsx',
    'src/app/page.tsx',
    'src/app/ready/route.ts',
    'src/handler.ts',
    'src/instrumentation.ts',
  ])
  expect(fastify.filter(file => !next.includes(file))).toEqual([
    'src/app.ts',
    'src/main.ts',
    'start.js',
    'tsconfig.build.json',
  ])
})

test.each(everyProject)('$name has the same parts, and goes by its own name', async ({ name, ...choices }) => {
  const project = await projects.write(name, choices)
  const files = await filesOf(project)
  expect(files).toEqual(expect.arrayContaining(['Dockerfile', 'src/api.ts', 'src/schema.ts', 'test/support/api.ts']))
  expect(files.includes('books.csv')).toBe(choices.example)
  for (const file of files) expect(read(project, file), file).not.toContain('my-api')
  const { name: called, scripts } = manifestOf(project)
  expect(called).toBe(name)
  expect(Object.keys(scripts).toSorted()).toEqual([...COMMANDS, ...(choices.example ? ['seed'] : [])].toSorted())
})

test('its key is its own, and stands where git does not see it', async () => {
  const [first, second] = await Promise.all([projects.write('first'), projects.write('second')])
  const keyOf = (project: string, file: string) => /^API_KEY=(.*)$/m.exec(read(project, file))?.[1]
  expect(keyOf(first, '.env')).toMatch(/^[\w-]{32}$/)
  expect(keyOf(second, '.env')).not.toBe(keyOf(first, '.env'))
  expect(keyOf(first, '.env.example')).toBe('')
  expect(read(first, '.gitignore').split('\n')).toContain('.env')
})

test('packed packages lie in the project, which installs them in its container, too', async () => {
  const packed = ['viewset-9.9.9.tgz', 'viewset-tools-9.9.9.tgz'].map(name => join(projects.folder, name))
  for (const path of packed) writeFileSync(path, 'packed')
  for (const framework of ['fastify', 'next'] as const) {
    const path = join(projects.folder, `packed-${framework}`)
    await writeProject({ path, name: 'packed' }, { ...DEFAULTS, framework }, packed)
    const { dependencies, devDependencies } = manifestOf(path)
    expect(dependencies.viewset).toBe('file:vendor/viewset-9.9.9.tgz')
    expect(devDependencies['viewset-tools']).toBe('file:vendor/viewset-tools-9.9.9.tgz')
    expect(read(path, 'vendor/viewset-tools-9.9.9.tgz')).toBe('packed')
    expect(read(path, 'vendor/viewset-9.9.9.tgz')).toBe('packed')
    expect(read(path, 'Dockerfile')).toContain('.npmrc ./\nCOPY vendor vendor\nRUN npm ci\n')
  }
})

test('nothing that is there already is written over', async () => {
  const project = await projects.write('twice')
  const before = read(project, '.env')
  await expect(projects.write('twice')).rejects.toThrow('EEXIST')
  expect(read(project, '.env')).toBe(before)
})

describe('the versions of its packages', () => {
  const root = join(import.meta.dirname, '../../..')
  // The examples of frameworks have packages of their own; what the whole repository uses counts more.
  const folders = ['examples/next', 'examples/nest', 'examples/atlas', 'packages/viewset', '.']
  const manifests = folders.map(path => manifestOf(join(root, path)))
  // Fastify brings this one.
  const pino = manifestOf(join(root, 'node_modules/pino')).version
  const used: Readonly<Record<string, string>> = Object.assign(
    { pino },
    ...manifests.flatMap(({ dependencies, devDependencies }) => [devDependencies, dependencies]),
  )

  test.each(Object.entries(VERSIONS))('%s is the one that this repository uses: %s', (name, version) => {
    expect(version.replace('^', '')).toBe(used[name]?.replace('^', ''))
  })

  test('are those of some project, and each of its packages has one', async () => {
    const all = await Promise.all(
      everyProject.map(({ name, ...choices }) => projects.write(`versions-${name}`, choices)),
    )
    const packages = all
      .map(manifestOf)
      .map(({ dependencies, devDependencies }) => ({ ...dependencies, ...devDependencies }))
    expect(Object.fromEntries(Object.entries(Object.assign({}, ...packages)).toSorted())).toEqual(
      Object.fromEntries(Object.entries(VERSIONS).toSorted()),
    )
  })
})

describe('the migrations of the example say what its models say', () => {
  const drizzleKit = createRequire(import.meta.url)('drizzle-kit/api') as typeof import('drizzle-kit/api')
  const snapshot = (database: string) =>
    JSON.parse(read(import.meta.dirname, `../templates/example-${database}/migrations/meta/0000_snapshot.json`))

  test('for SQLite', async () => {
    const current = await drizzleKit.generateSQLiteDrizzleJson(models(sqliteKit))
    expect(await drizzleKit.generateSQLiteMigration(snapshot('sqlite'), current)).toEqual([])
  })

  test('for PostgreSQL', async () => {
    const current = drizzleKit.generateDrizzleJson(models(pgKit))
    expect(await drizzleKit.generateMigration(snapshot('postgres'), current)).toEqual([])
  })
})
