import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'

const packageRoot = join(import.meta.dirname, '../..')
const main = join(packageRoot, 'src/cli/main.ts')

const RESOURCES = `
import { AllowAny, BaseModelSerializer, ImportableViewSet, importModel, ReadOnlyViewSet } from 'viewset'
import { kit } from 'viewset/sqlite'

const authors = kit.table('authors', { id: kit.uuid().primaryKey(), name: kit.text(50).notNull(), born: kit.date() })
const shared = {
  model: authors,
  serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'born'] }),
  permissionClasses: [AllowAny],
}
export class AuthorViewSet extends ImportableViewSet({
  ...shared,
  importFileConfig: {
    fileFormat: ['xlsx', 'csv'],
    order: ['authors'],
    models: { authors: importModel({ model: authors, fields: ['id', 'name', 'born'], uniqueFields: ['id'] }) },
  },
}) {}
export const ReaderViewSet = ReadOnlyViewSet(shared)
export const version = 1
// What keeps a process running.
setInterval(() => {}, 1000)
`
const CONFIG = `
import { defineConfig } from 'viewset'
import * as resources from './resources.ts'
export default defineConfig({ resources })
`

interface Outcome {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

let folder: string

/** Runs the command in a folder as a person would. */
function viewset(args: readonly string[], cwd = folder): Promise<Outcome> {
  return new Promise(resolve => {
    execFile(
      process.execPath,
      ['--conditions=viewset-source', main, ...args],
      { cwd, encoding: 'buffer' },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr: String(stderr) }),
    )
  })
}

beforeAll(async () => {
  // Inside the package, so that `viewset` is this package.
  folder = await mkdtemp(join(packageRoot, '.cli-'))
  await writeFile(join(folder, '.gitignore'), '*\n')
})
beforeEach(async () => {
  await writeFile(join(folder, 'resources.ts'), RESOURCES)
  await writeFile(join(folder, 'viewset.config.ts'), CONFIG)
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(['generate-import-template', 'generate_import_template'])('viewset %s', command => {
  test('writes a workbook, and says where', async () => {
    const path = join(folder, 'AuthorViewSet_template.xlsx')
    await rm(path, { force: true })
    expect(await viewset([command, 'AuthorViewSet'])).toEqual({ code: 0, stdout: Buffer.from(`${path}\n`), stderr: '' })
    const { sheets } = await readXlsx(await readFile(path))
    expect(sheets.map(({ name, rows }) => [name, rows[0]])).toEqual([
      ['authors', ['id', 'name', 'born']],
      ['How to fill this in', ['Sheet', 'Column', 'What it takes', 'Example', 'Allowed values']],
    ])
  })
})

const generate = (...args: readonly string[]) => viewset(['generate-import-template', ...args])

describe('generate-import-template', () => {
  test('writes CSV, to standard output as well', async () => {
    const { code, stdout } = await generate('AuthorViewSet', '--format', 'csv', '--output', '-')
    expect(code).toBe(0)
    expect(String(stdout)).toBe('id,name,born\r\n019bc134-7840-7d21-9c3e-5f0a8b6d4e12,Example,2026-01-15\r\n')
  })

  test('writes a workbook to standard output byte by byte', async () => {
    const { stdout } = await generate('AuthorViewSet', '--output', '-')
    expect((await readXlsx(stdout)).sheets).toHaveLength(2)
  })

  test('finds the configuration above', async () => {
    await mkdir(join(folder, 'deep/er'), { recursive: true })
    const { code } = await viewset(['generate-import-template', 'AuthorViewSet', '-o', '-'], join(folder, 'deep/er'))
    expect(code).toBe(0)
  })

  test('takes another configuration, in which resources have names of their own', async () => {
    await writeFile(
      join(folder, 'other.mjs'),
      "import * as own from './resources.ts'\nexport default { resources: { people: own.AuthorViewSet } }",
    )
    for (const name of ['people', 'AuthorViewSet']) {
      expect(await generate(name, '--config', 'other.mjs', '-o', '-')).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('writes over no file without --force', async () => {
    const path = join(folder, 'mine.csv')
    await writeFile(path, 'what somebody has filled in')
    const refused = await generate('AuthorViewSet', '--output', 'mine.csv')
    expect(refused).toMatchObject({ code: 1, stderr: `${path} exists already; give another --output, or --force.\n` })
    expect(await readFile(path, 'utf8')).toBe('what somebody has filled in')
    expect(await generate('AuthorViewSet', '--output', 'mine.csv', '--format', 'csv', '--force')).toMatchObject({
      code: 0,
    })
    expect(await readFile(path, 'utf8')).toMatch(/^id,name,born/)
  })
})

describe('openapi', () => {
  const API = `
import { apiKey } from 'viewset/auth'
import { defineConfig } from 'viewset'
import * as resources from './resources.ts'
export default defineConfig({
  resources,
  api: {
    prefix: '/api',
    resources: { authors: resources.AuthorViewSet, readers: resources.ReaderViewSet },
    authenticate: apiKey({ lookup: () => null }),
    openapi: { info: { title: 'Library', version: '2.1.0' } },
  },
})
`

  test('prints the document of the API as it is registered, without a database', async () => {
    await writeFile(join(folder, 'viewset.config.ts'), API)
    const { code, stdout, stderr } = await viewset(['openapi'])
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(String(stdout))).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Library', version: '2.1.0' },
      servers: [{ url: '/api' }],
      paths: { '/authors/': { post: { operationId: 'authorsCreate' } }, '/': { get: { operationId: 'apiRoot' } } },
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } },
    })
  })

  test('writes it to a file, for the server that is named', async () => {
    await writeFile(join(folder, 'viewset.config.ts'), API)
    const path = join(folder, 'openapi.json')
    const written = await viewset(['openapi', '-o', 'openapi.json', '--server', 'https://example.org/api'])
    expect([written.code, String(written.stdout)]).toEqual([0, `${path}\n`])
    const { servers } = JSON.parse(await readFile(path, 'utf8')) as { readonly servers: unknown }
    expect(servers).toEqual([{ url: 'https://example.org/api' }])
    expect((await viewset(['openapi', '-o', 'openapi.json'])).stderr).toMatch(/exists already/)
  })

  test.each([
    ["prefix: '/api'", "prefix: '/api/'", '/api'],
    [
      "version: '2.1.0' }",
      "version: '2.1.0' }, change: made => ({ ...made, servers: [{ url: 'https://a.test' }] })",
      'https://a.test',
    ],
  ])('has the server that the API says: %s as %s', async (written, other, url) => {
    await writeFile(join(folder, 'viewset.config.ts'), API.replace(written, other))
    const { stdout } = await viewset(['openapi'])
    expect(JSON.parse(String(stdout))).toMatchObject({ servers: [{ url }] })
  })

  test('says what is no viewset', async () => {
    await writeFile(join(folder, 'viewset.config.ts'), API.replace('resources.ReaderViewSet', 'resources'))
    expect(await viewset(['openapi'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^resources\.readers: class: is not a viewset; /),
    })
  })

  test('says what a configuration lacks', async () => {
    expect(await viewset(['openapi'])).toMatchObject({ code: 1, stderr: expect.stringContaining('add to it: api: {') })
    await writeFile(join(folder, 'viewset.config.ts'), `${CONFIG.replace('{ resources }', '{ resources, api: {} }')}`)
    expect((await viewset(['openapi'])).stderr).toContain('"api" must have "resources"')
  })
})

describe('what is wrong is said', () => {
  test.each([
    ['postgres', 'postgres-js'],
    ['@planetscale/database', 'planetscale-serverless'],
  ])('the package %s is missing, which drizzle-orm/%s needs', async (name, driver) => {
    await writeFile(join(folder, 'viewset.config.ts'), `import 'drizzle-orm/${driver}'\n${CONFIG}`)
    const stderr = `The package ${name} is missing: npm install ${name}\n`
    expect(await generate('AuthorViewSet')).toMatchObject({ code: 1, stderr })
  })

  test('a file is missing that the configuration imports', async () => {
    const config = join(folder, 'viewset.config.ts')
    await writeFile(config, `import './resources/reviews.ts'\n${CONFIG}`)
    const problem = `${config} imports ${join(folder, 'resources/reviews.ts')}, which does not exist.`
    const stderr = `${problem} Create the file, or take the import out and run the command again.\n`
    expect(await generate('AuthorViewSet')).toMatchObject({ code: 1, stderr })
  })

  test.each([
    [[], /^Usage: viewset generate-import-template <ResourceName>/],
    [
      ['import-template', 'A'],
      /^Unknown command "import-template"; did you mean "generate-import-template"\?\.? See viewset --help\.$/,
    ],
    [
      ['generate-import-templates', 'A'],
      /^Unknown command "generate-import-templates"; did you mean "generate-import-template"\?/,
    ],
    [['generate-import-template'], /^Which resource\?/],
    [['generate-import-template', 'A', 'B'], /^One resource at a time; what is "B"\?/],
    [['generate-import-template', 'A', '--formt', 'csv'], /--formt.*See viewset --help\.$/],
    [['generate-import-template', 'A', '--server', '/'], /^generate-import-template takes no --server\./],
    [['openapi', '--format', 'csv'], /^openapi takes no --format\./],
    [['inspect', '--output', 'a.ts'], /^inspect takes no --output\./],
    [['add', 'resource', 'articles', '--url', 'a.db'], /^add takes no --url\./],
    [['add', 'articles'], /^Which table\? As in: viewset add resource articles$/],
    [['add', 'resource', 'articles', 'authors'], /^One table at a time; what is "authors"\?$/],
    [['openapi', 'AuthorViewSet'], /^The document is of the whole API; what is "AuthorViewSet"\?/],
  ])('of a command: %j', async (args, message) => {
    await expect(run(args, folder)).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) })
  })

  test.each([
    [['AuthorViewSet', '--format', 'pdf'], 2, /^--format pdf: a template is written as csv or xlsx$/],
    [['AuthorViewset'], 1, /^There is no resource "AuthorViewset"; did you mean "AuthorViewSet"\?$/],
    [['version'], 1, /^There is no resource "version"; known: "AuthorViewSet"$/],
    [
      ['ReaderViewSet'],
      1,
      /^ReaderViewSet imports no files; make it with ImportableViewSet or FileImportMixin\. Others do: AuthorViewSet\.$/,
    ],
    [['AuthorViewSet', '--config', 'no.ts'], 1, /^There is no .*no\.ts\.$/],
    [['AuthorViewSet', '-o', 'no/such/file.xlsx'], 1, /its folder does not exist\.$/],
  ])('of %j', async (args, code, stderr) => {
    const outcome = await generate(...args)
    expect(outcome.code).toBe(code)
    expect(outcome.stderr.trimEnd()).toMatch(stderr)
  })

  test('--help of a command prints the options of this command', async () => {
    const printed = String((await viewset(['import', '--help'])).stdout)
    expect(printed).toMatch(/^Usage: viewset import <file>/)
    expect(printed).toContain('--dry-run ')
    expect(printed).toContain('--config ')
    expect(printed).not.toMatch(/--for-editing|--server|\nexport\n|nobody|undefined/)
    expect(printed.split('\n').length).toBeLessThan(36)
    for (const command of ['add', 'inspect', 'export', 'worker', 'openapi', 'index-advice']) {
      const help = String((await viewset([command, '--help'])).stdout)
      expect(help).toMatch(new RegExp(`^Usage: viewset ${command} [^]+\\n${command}( |\\n)[^]+--help`))
    }
  })

  test('--version prints the version of the package, also with a command', async () => {
    const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'))
    for (const args of [['--version'], ['import', '--version']]) {
      expect(await viewset(args)).toEqual({ code: 0, stdout: Buffer.from(`${version}\n`), stderr: '' })
    }
  })

  test('--help tells how it is used', async () => {
    expect(String((await viewset(['--help'])).stdout)).toMatch(/^Usage: viewset generate-import-template/)
  })

  test.each([
    ['no default export', 'export const resources = {}', /has no default export; write: export default defineConfig/],
    ['a typo', 'export default { resource: {} }', /unknown setting "resource"; did you mean "resources"\?$/],
    ['no resources', 'export default {}', /"resources" is missing; give the viewsets by name$/],
    ['an error of its own', "throw new Error('no database')", /Error: no database\n {4}at .*viewset\.config\.ts/],
  ])('a configuration with %s', async (_, text, message) => {
    await writeFile(join(folder, 'viewset.config.ts'), text)
    const { code, stderr } = await generate('AuthorViewSet')
    expect(code).toBe(1)
    expect(stderr.trimEnd()).toMatch(message)
  })

  test('a resource that is put together wrongly, in the words of its ConfigError', async () => {
    await writeFile(join(folder, 'resources.ts'), RESOURCES.replace("order: ['authors']", "order: ['autors']"))
    expect(await generate('AuthorViewSet')).toMatchObject({
      code: 1,
      stderr:
        'resource of "authors": importFileConfig: order: "autors" is not among the models; did you mean "authors"?\n',
    })
  })
})
