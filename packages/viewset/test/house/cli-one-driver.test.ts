import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'

const packageRoot = join(import.meta.dirname, '../..')
const modules = join(packageRoot, '../../node_modules')

const OWN: readonly string[] = ['viewset', 'viewset-tools']
/** A package that is linked would find a missing one beside its real place. */
const COPIED: readonly string[] = ['drizzle-orm']

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
    expect(await viewset(folder, given)).toEqual({ code: 0, stderr: '' })
  })

  test('runs viewset worker as far as its configuration goes', async () => {
    expect(await viewset(folder, ['worker'])).toEqual({
      code: 1,
      stderr: expect.stringContaining('viewset.config.ts names no jobs'),
    })
  })
})

test.each([['add', 'resource', 'tags'], ['inspect', '--url', 'a.db'], ['index-advice'], ['search-index']])(
  'viewset %s says which package it needs',
  async (...args) => {
    const folder = await projectWithout(['viewset-tools'])
    try {
      expect(await viewset(folder, args)).toEqual({
        code: 1,
        stderr: `viewset ${args[0]} needs the package viewset-tools: npm install --save-dev viewset-tools\n`,
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)

/** Copies of `viewset` and `viewset-tools` among all packages that they know but `missing`. */
async function projectWithout(missing: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-driver-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(modules)) {
    if (name.startsWith('.') || missing.includes(name)) continue
    const copy = join(folder, 'node_modules', name)
    if (COPIED.includes(name)) await cp(join(modules, name), copy, { recursive: true })
    else if (OWN.includes(name)) await linkCopy(folder, name)
    else await symlink(join(modules, name), copy)
  }
  return folder
}

/** Beside `node_modules`, in which Node reads no TypeScript. */
async function linkCopy(folder: string, name: string): Promise<void> {
  for (const part of ['src', 'package.json']) {
    await cp(join(packageRoot, '..', name, part), join(folder, name, part), { recursive: true })
  }
  await symlink(join(folder, name), join(folder, 'node_modules', name))
}

function schemaOf(entry: string): string {
  return `import { kit } from 'viewset/${entry}'
export const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull().unique() }, t => [
  kit.searchIndex(t.label),
])
`
}

function configOf(entry: string, opener: string, url: string): string {
  return `import { AllowAny, BaseModelSerializer, defineConfig, ImportableViewSet, importModel } from 'viewset'
import { ${opener} } from 'viewset/${entry}'
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
  const command = ['--conditions=viewset-source', main, ...args]
  return new Promise(resolve => {
    execFile(process.execPath, command, { cwd: folder }, (error, _, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stderr }),
    )
  })
}
