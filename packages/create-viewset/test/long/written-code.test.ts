import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../viewset/test/support/global-setup.ts'
import { everyProject, output, Projects, start, workspace } from '../support/projects.ts'

const SCHEMA = `import { kit } from 'viewset/sqlite'
export const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull() })
export const { jobs, jobErrors } = kit.JobTables()
`
const API = `import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { jobErrors, jobs, tags } from './schema.ts'
const TagViewSet = BaseViewSet({
  model: tags,
  serializer: BaseModelSerializer(tags, { fields: ['id', 'label'] }),
  permissionClasses: [AllowAny],
})
export const api = { prefix: '/api', resources: { tags: TagViewSet }, jobs: { tables: { jobs, jobErrors } } } as const
`

let projects: Projects
beforeAll(async () => {
  projects = await Projects.create()
  for (const { name, ...choices } of everyProject) await projects.write(name, choices)
})
afterAll(() => projects.remove())

/** Those that need no package which this repository does not have; the others are for the test that takes minutes. */
const here = everyProject.filter(({ framework }) => framework !== 'next' && framework !== 'nest')

test('every project compiles, with declarations', async () => {
  const config = {
    extends: './fastify-sqlite/tsconfig.json',
    compilerOptions: {
      customConditions: ['viewset-source'],
      lib: ['es2024', 'esnext.disposable'],
      exactOptionalPropertyTypes: true,
    },
    include: here.flatMap(({ name }) => [`${name}/src`, `${name}/test`, `${name}/*.ts`]),
  }
  await writeFile(join(projects.folder, 'tsconfig.json'), JSON.stringify(config))
  expect(await output(projects.folder, workspace, 'tsc', '-p', '.', '--pretty', 'false')).toBe('')
})

/** What is left out here is in the test that takes minutes, which runs them all. Next's tests ask its handler only. */
const tested = everyProject.filter(({ name }) => /^(fastify|hono)-sqlite$|^fastify-sqlite-empty$/.test(name))
const started = everyProject.filter(({ name }) => /^fastify-postgres$|^express-sqlite$/.test(name))

test.each(tested)('$name passes its own tests', async ({ name, database, example }) => {
  const variables = { ...workspace, ...(database === 'postgres' && { DATABASE_URL: inject('postgresUrl') }) }
  const printed = await output(join(projects.folder, name), variables, 'node', '--test', 'test/**/*.test.ts')
  expect(printed).toContain(`\nℹ pass ${example ? 3 : 1}\nℹ fail 0\n`)
})

test('a project without the example passes its tests when it has resources and jobs', async () => {
  const folder = await projects.write('grown', { example: false })
  await writeFile(join(folder, 'src/schema.ts'), SCHEMA)
  await writeFile(join(folder, 'src/api.ts'), API)
  expect(await output(folder, workspace, 'node', '--test', 'test/**/*.test.ts')).toContain('\nℹ pass 1\nℹ fail 0\n')
})

test.each(started)(
  '$name starts, makes its tables, answers, and ends when it is told to',
  async ({ name, database }) => {
    const own = database === 'postgres' ? await createTestDatabase({ postgres: inject('postgresUrl') }) : undefined
    const variables = { ...workspace, ...(own && { DATABASE_URL: own.url }) }
    const { address, stop } = await start(join(projects.folder, name), variables)
    const ask = async (path: string) => {
      const response = await fetch(address + path)
      return [response.status, await response.json()]
    }
    const answers = [await ask('/health'), await ask('/ready'), await ask('/api/'), await ask('/api/nowhere/')]
    const documented = await fetch(`${address}/api/docs/`)
    const code = await stop()
    await own?.drop()
    const resource = (path: string) => ({ name: path, url: `${address}/api/${path}/` })
    expect(answers).toEqual([
      [200, { status: 'ok' }],
      [200, { status: 'ready' }],
      [200, expect.objectContaining({ data: [resource('authors'), resource('books')] })],
      [404, expect.objectContaining({ success: false, message: 'There is nothing at this address.' })],
    ])
    expect(documented.status).toBe(200)
    expect(code).toBe(0)
  },
)

describe('a start that fails', () => {
  const failing = (name: string, more: Readonly<Record<string, string>>, ...options: readonly string[]) =>
    output(join(projects.folder, name), { ...workspace, ...more }, 'node', ...options, 'start.js')
  const fail = failing.bind(undefined, 'fastify-sqlite')

  test('says which variables are wrong', async () => {
    expect(await fail({ API_KEY: 'short', PORT: 'abc' })).toBe(
      'The environment is not right; see .env.example.\n' +
        '✖ Too small: expected string to have >=20 characters\n  → at API_KEY\n' +
        '✖ Invalid input: expected number, received NaN\n  → at PORT\n',
    )
  })

  test('says that its port is taken', async () => {
    const { address, stop } = await start(join(projects.folder, 'express-sqlite'), workspace)
    const { port } = new URL(address)
    const printed = await fail({ PORT: port })
    await stop()
    expect(printed).toBe(`Port ${port} is taken. Choose another one, as in: PORT=3001 npm start\n`)
  })

  test('says that no database answers', async () => {
    const { address, stop } = await start(join(projects.folder, 'fastify-sqlite'), workspace)
    await stop()
    // Nobody listens there any more.
    const away = `postgres://me@${new URL(address).host}/shop`
    expect(await failing('fastify-postgres', { DATABASE_URL: away })).toBe(
      'No database answers at DATABASE_URL. README.md says how to start one.\n',
    )
  })

  test('says that its Node is too old', async () => {
    const old = 'data:text/javascript,Object.defineProperty(process.features,"typescript",{value:false})'
    expect(await fail({}, '--import', old)).toBe(
      `This needs Node 22.18 or newer, which runs TypeScript as it is; yours is ${process.version}.\n`,
    )
  })
})
