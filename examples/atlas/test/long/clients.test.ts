import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/database.ts'
import { startSmallAtlas, tokens } from '../support/small-atlas.ts'

const CLIENTS = join(import.meta.dirname, '../../clients')
const SCHEMA = join(
  import.meta.dirname,
  '../../../../node_modules/@seriousme/openapi-schema-validator/schemas/v3.1/schema.json',
)
const SCHEMA_ADDRESS = 'https://spec.openapis.org/oas/3.1/schema/2021-05-20'
const NOWHERE = '00000000-0000-4000-8000-000000000000'

/** What both walks print. */
const WALK = [
  'list: 2 of 25',
  'filter: Oslo in Norway, Oslo',
  'create: Oslo, 5',
  'patch: Again!',
  'destroy: 204',
  'retrieve: 404 There is no such record, or you may not see it.',
  `error: There is no city with the id "${NOWHERE}". city: There is no city with the id "${NOWHERE}".`,
  'export: Name,Country code / Oslo,NO',
]

describe("clients that are made from the atlas's document", () => {
  let folder: string
  let app: FastifyInstance
  let document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
  }
  let environment: NodeJS.ProcessEnv

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atlas-clients-'))
    const started = await startSmallAtlas(await openSqlite(join(folder, 'data')))
    app = started.app
    const ATLAS_URL = `${started.origin}/api`
    const text = await (await fetch(`${ATLAS_URL}/openapi.json`)).text()
    document = JSON.parse(text)
    // Only files of the repository: no node_modules, and no generated files.
    const files = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'java.yml', 'walk.ts', 'walk.pl']
    await Promise.all(files.map(name => cp(join(CLIENTS, name), join(folder, name))))
    await writeFile(join(folder, 'openapi.json'), text)
    // The walk in TypeScript needs the Node of this test, and PATH may have an older one.
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
    environment = { ...process.env, PATH, ATLAS_URL, ATLAS_ADMIN_TOKEN: tokens.admin }
    await run('npm', 'ci')
  }, 10 * 60_000)
  afterAll(async () => {
    await app?.close()
    await rm(folder, { recursive: true })
  })

  /** Runs a program in the copy, and gives the lines that it prints. */
  async function run(program: string, ...parameters: readonly string[]): Promise<readonly string[]> {
    const { stdout } = await promisify(execFile)(program, parameters, { cwd: folder, env: environment })
    return stdout.trimEnd().split('\n')
  }

  test('openapi-typescript writes types for openapi-fetch that let the walk in TypeScript compile, and it runs', async () => {
    await run('npm', 'run', 'types')
    await run('npm', 'run', 'check')
    expect(await run('npm', 'run', '--silent', 'walk')).toEqual([...WALK, 'import: 1 would be created'])
  })

  test("Perl's OpenAPI::Client makes its methods of it, walks the same way, and refuses what does not fit", async () => {
    await run('perl', '-MOpenAPI::Client', '-e', '1').catch(cause => {
      throw new Error('Perl has no OpenAPI::Client: run "apt-get install libopenapi-client-perl".', { cause })
    })
    // It would load this schema from the network.
    const cache = join(folder, 'cache')
    await mkdir(cache)
    await cp(SCHEMA, join(cache, createHash('md5').update(SCHEMA_ADDRESS).digest('hex')))
    environment.JSON_VALIDATOR_CACHE_PATH = cache
    expect(await run('perl', 'walk.pl')).toEqual([
      ...WALK,
      'refused: /ordering/0',
      'refused: /body/city, /body/visited_on',
    ])
  })

  test('openapi-generator-plus writes a client in Java, with a method for each operation', async () => {
    await run('npm', 'run', 'java')
    const java = await readFile(join(folder, 'java/org/example/atlas/CitiesApi.java'), 'utf8')
    const methods = [...java.matchAll(/^\t\S+ (\w+)\(.*\) throws /gm)].map(([, name]) => name)
    const operations = Object.values(document.paths).flatMap(path => Object.values(path))
    const ids = operations.map(({ operationId = '' }) => operationId).filter(id => id.startsWith('cities'))
    expect(ids.length).toBeGreaterThan(10)
    expect(methods.toSorted()).toEqual(ids.toSorted())
  })
})
