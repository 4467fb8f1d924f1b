import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'

const packageRoot = join(import.meta.dirname, '../..')
const modules = join(packageRoot, '../../node_modules')

/** What an import and an export report while they run. */
const PROGRESS = /^(?:100 %, 1 of 1 rows\n)?$/

const projects = [
  { dialect: sqliteDialect, missing: ['pg', 'pg-boss'], entry: 'sqlite', opener: 'sqlite' },
  { dialect: pgDialect, missing: ['better-sqlite3'], entry: 'pg', opener: 'postgres' },
] as const

describe.each(projects)('a project with the driver of $entry only', ({ dialect, missing, entry, opener }) => {
  let folder: string
  let db: TestDatabase

  beforeAll(async () => {
    const { kit } = dialect
    const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull().unique() })
    db = await createTestDatabase({ ...dialect.server, schema: { tags } })
    folder = await projectWithout(missing)
    await writeFile(join(folder, 'schema.ts'), schemaOf(entry))
    await writeFile(join(folder, 'viewset.config.ts'), configOf(entry, opener, db.url))
    await writeFile(join(folder, 'tags.csv'), 'label\nnew\n')
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await db.drop()
  })

  test.each([
    ['generate-import-template', 'tags', '--format', 'csv'],
    ['import', 'tags.csv', '--resource', 'tags', '--append'],
    ['export', '--resource', 'tags', '--output', 'out.csv'],
    ['openapi', '--output', 'openapi.json'],
    ['add', 'resource', 'tags', '--out', 'resources'],
    ['search-index', '--models', 'schema.ts'],
    ['index-advice'],
    ['inspect', '--out', 'drafts', '--url', '<the database>'],
  ])('runs viewset %s', async (...args) => {
    const given = args.map(arg => (arg === '<the database>' ? db.url : arg))
    expect(await viewset(folder, given)).toEqual({ code: 0, stderr: expect.stringMatching(PROGRESS) })
  })

  test('runs viewset worker as far as its configuration goes', async () => {
    expect(await viewset(folder, ['worker'])).toEqual({
      code: 1,
      stderr: expect.stringContaining('viewset.config.ts names no jobs'),
    })
  })
})

/** A copy of the package among all packages that it knows but `missing`. */
async function projectWithout(missing: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-driver-'))
  const copy = join(folder, 'viewset')
  await cp(join(packageRoot, 'src'), join(copy, 'src'), { recursive: true })
  await cp(join(packageRoot, 'package.json'), join(copy, 'package.json'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(modules)) {
    if (name.startsWith('.') || name === 'viewset' || missing.includes(name)) continue
    await symlink(join(modules, name), join(folder, 'node_modules', name))
  }
  return folder
}

function schemaOf(entry: string): string {
  return `import { kit } from './viewset/src/${entry}.ts'
export const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull().unique() }, t => [
  kit.searchIndex(t.label),
])
`
}

function configOf(entry: string, opener: string, url: string): string {
  return `import { AllowAny, BaseModelSerializer, defineConfig, ImportableViewSet, importModel } from './viewset/src/index.ts'
import { ${opener} } from './viewset/src/${entry}.ts'
import { tags as model } from './schema.ts'
const tags = ImportableViewSet({
  model,
  serializer: BaseModelSerializer(model, { fields: ['id', 'label'] }),
  permissionClasses: [AllowAny],
  importPermissionClasses: [AllowAny],
  exportPermissionClasses: [AllowAny],
  ordering: '-label',
  importFileConfig: {
    fileFormat: 'csv',
    order: ['tags'],
    models: { tags: importModel({ model, fields: ['label'], uniqueFields: ['label'] }) },
  },
})
export default defineConfig({
  resources: { tags },
  api: { prefix: '/api', resources: { tags } },
  database: () => ${opener}(${JSON.stringify(url)}),
})
`
}

function viewset(folder: string, args: readonly string[]): Promise<{ readonly code: number; readonly stderr: string }> {
  const main = join(folder, 'viewset/src/cli/main.ts')
  // A package that is linked would else find the missing one beside its real place.
  const command = ['--preserve-symlinks', '--conditions=viewset-source', main, ...args]
  return new Promise(resolve => {
    execFile(process.execPath, command, { cwd: folder }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    )
  })
}
