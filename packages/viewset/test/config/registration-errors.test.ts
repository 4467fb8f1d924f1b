import { sql } from 'drizzle-orm'
import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  ConfigError,
  compose,
  FileImportMixin,
  importModel,
  ReadOnlyViewSet,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { folder } from 'viewset/jobs'
import { kit as pgKit, postgres } from 'viewset/pg'
import { kit, sqlite } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, test } from 'vitest'
import { models } from '../support/models.ts'
import { problemOf } from '../support/problem.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(kit)
const { AuthorReference } = serializers(tables)
const full = 'postgres://user:password@localhost:5432/shop'
const common = { model: tables.authors, serializer: AuthorReference, permissionClasses: [AllowAny] }
const Importing = compose(FileImportMixin)({
  ...common,
  importBackgroundFrom: 1_000_000,
  importFileConfig: {
    fileFormat: 'csv',
    order: ['authors'],
    models: { authors: importModel({ model: tables.authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
  },
})

describe('registration refuses', () => {
  async function start(options: object): Promise<string> {
    const app = Fastify(serverOptions)
    const { database, drop } = await createTestDatabase()
    try {
      await app.register(resources, { prefix: '/api', database, resources: {}, ...options } as never)
      return 'nothing was refused'
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return (error as ConfigError).message
    } finally {
      await app.close()
      await drop()
    }
  }

  test.each<[string, object, string]>([
    ['an unknown option', { databse: 1 }, 'api: databse: unknown option; did you mean "database"?'],
    ['no database', { database: undefined }, 'api: database: is required; make it with postgres(url) or sqlite(path)'],
    [
      'another database',
      { database: { url: 'x' } },
      'api: database: is an object; make it with postgres(url) or sqlite(path)',
    ],
    [
      'the path of a database',
      { database: 'shop.db' },
      "api: database: is a text; open the database: sqlite('shop.db')",
    ],
    [
      'the address of a database, without repeating it',
      { database: 'postgres://me:secret@localhost/shop' },
      "api: database: is a text; open the database: postgres('postgres://...')",
    ],
    [
      'a resource that is not there yet',
      { resources: { authors: undefined } },
      'resources.authors: class: is undefined; if two files import each other, move what both need into a third one',
    ],
    ['a prefix that nobody knows the end of', { prefix: '/api/*' }, 'api: prefix: must be a path such as "/api"'],
    [
      'no resources',
      { resources: undefined },
      'api: resources: is required; give the viewsets by name, as in { countries: CountryViewSet }',
    ],
    [
      'a list of resources',
      { resources: [BaseViewSet(common)] },
      'api: resources: must be an object; give the viewsets by name, as in { countries: CountryViewSet }',
    ],
    [
      'a name with a slash at an end',
      { resources: { '/authors': BaseViewSet(common) } },
      'resources./authors: name: must be a path such as "articles", without a slash at either end',
    ],
    [
      'an authenticate that cannot be asked',
      { authenticate: 'jwt' },
      'api: authenticate: must be a function of the request that returns a user or null',
    ],
    [
      'wrong settings',
      { settings: { COMMON: { TIME_ZONE: 'x' } } },
      'settings.COMMON: TIME_ZONE: "x" is not an IANA time zone such as "Europe/Berlin"',
    ],
    [
      'something that is no viewset',
      { resources: { authors: class {} } },
      'resources.authors: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or compose(...)({...})',
    ],
    [
      'a factory that was not called',
      { resources: { authors: BaseViewSet } },
      'resources.authors: class: is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or compose(...)({...})',
    ],
    [
      'a document that is said wrongly',
      { openapi: 'yes' },
      'api: openapi: must be true, false or an object: { permissionClasses, info, errors, change }',
    ],
    ['a change that cannot be called', { openapi: { change: {} } }, 'api.openapi: change: must be a function'],
    ['a document without a text for its title', { openapi: { info: 'Shop' } }, 'api.openapi: info: must be an object'],
    [
      'what a document does not say of an API',
      { openapi: { info: { titel: 'Shop' } } },
      'api.openapi.info: titel: unknown option; did you mean "title"?',
    ],
    ['a version that is no text', { openapi: { info: { version: 2 } } }, 'api.openapi.info: version: must be a text'],
    [
      'a refusal with a status of success',
      { openapi: { errors: { 304: 'Not modified.' } } },
      "api.openapi: errors: must say what statuses from 400 to 599 mean, as in { 429: 'Too many requests.' }",
    ],
    [
      'a reference page whose title is no text',
      { openapi: true, docs: { title: 5 } },
      'api.docs: title: must be a text',
    ],
    [
      'an import that goes on in the background of an API that has none',
      { resources: { authors: Importing } },
      'resources.authors: importBackgroundFrom: needs the option jobs of the API',
    ],
    [
      'jobs without tables',
      { jobs: {} },
      'api.jobs: tables: is required; give { jobs, jobErrors } as JobTables() of the kit makes them',
    ],
    [
      'jobs with an option of another type',
      { jobs: { tables: kit.JobTables(), work: 'no' } },
      'api.jobs: work: must be true or false, not "no"',
    ],
    ['what jobs do not know', { jobs: { tabels: 1 } }, 'api.jobs: tabels: unknown option; did you mean "tables"?'],
    [
      'a secret that would lie in the database',
      { jobs: { tables: kit.JobTables(), headers: ['X-Tenant', 'Authorization'] } },
      'api.jobs: headers: "Authorization" is a secret, and would lie in the database; keep what jobs need of it in the user that authenticate returns',
    ],
    [
      'a resource where jobs are',
      { jobs: { tables: kit.JobTables() }, resources: { jobs: BaseViewSet(common) } },
      'resources.jobs: name: is that of the option jobs; take another name',
    ],
  ])('%s', async (_, options, problem) => {
    expect(await start(options)).toBe(problem)
  })

  test('a path in which the record would hide another part', async () => {
    expect(await start({ resources: { 'owners/:id/authors': BaseViewSet(common) } })).toBe(
      'resources.owners/:id/authors: name: GET /owners/:id/authors/:id/ has two parts that are called ":id"; it is the ' +
        "record's, so give the other part another name",
    )
  })

  test('a member with a name that Viewset needs for itself', async () => {
    class Reading extends BaseViewSet(common) {
      async readJson() {
        return {}
      }
    }
    class Defined extends BaseViewSet(common) {
      readonly definition = 'who wrote it'
    }
    const problem = 'is a name that Viewset needs for itself; give this member another one'
    expect(await start({ resources: { authors: Reading } })).toBe(`resources.authors: readJson: ${problem}`)
    expect(await start({ resources: { authors: Defined } })).toBe(`resources.authors: definition: ${problem}`)
  })

  test('two actions at one address', async () => {
    const action = { method: 'POST', detail: true, path: 'go', handler: () => null } as const
    const Authors = ReadOnlyViewSet({ ...common, actions: { a: action, b: action } })
    expect(await start({ resources: { authors: Authors } })).toBe(
      'resources.authors: actions.b: POST /authors/:id/go/ exists already',
    )
  })

  test('the table of another database', async () => {
    const foreign = models(pgKit).authors
    const Foreign = BaseViewSet({
      model: foreign,
      serializer: BaseModelSerializer(foreign, { fields: ['id', 'name'] }),
      permissionClasses: [AllowAny],
    })
    expect(await start({ resources: { authors: Foreign } })).toBe(
      'resources.authors: model: "authors" is a table for PostgreSQL, the database is SQLite',
    )
  })

  test('a folder for the files of jobs that cannot be written to', async () => {
    const file = import.meta.filename
    expect(await start({ jobs: { tables: kit.JobTables(), files: folder(`${file}/jobs`) } })).toBe(
      `api.jobs: files: the files of jobs cannot be stored: this process may not write to "${file}" (ENOTDIR); ` +
        "make it writable, or give another folder: files: folder('data/jobs')",
    )
  })

  test('an SQLite database in memory', () => {
    for (const path of [':memory:', '']) {
      expect(problemOf(() => sqlite(path))).toBe(
        'sqlite: path: give the path of a file; a database in memory has one connection only, so pass its handle: sqlite(new Database(":memory:"))',
      )
    }
  })

  test('options that a database does not have', () => {
    expect(problemOf(() => sqlite('/tmp/shop.db', { busyTimout: 1 } as never))).toBe(
      'sqlite: busyTimout: unknown option; did you mean "busyTimeout"?',
    )
    expect(problemOf(() => sqlite('/tmp/shop.db', { readerThreads: 1.5 }))).toBe(
      'sqlite: readerThreads: must be a whole number from 0 to 64, not 1.5',
    )
    expect(problemOf(() => sqlite('/tmp/shop.db', { statementTimeout: 0 }))).toBe(
      'sqlite: statementTimeout: must be a whole number from 1 to 2147483647, not 0',
    )
    expect(problemOf(() => sqlite('/tmp/shop.db', { busyTimeout: Number.NaN }))).toBe(
      'sqlite: busyTimeout: must be a whole number from 0 to 2147483647, not NaN',
    )
    expect(problemOf(() => postgres('postgres://localhost/shop', { poolsize: 1 } as never))).toBe(
      'postgres: poolsize: unknown option; did you mean "poolSize"?',
    )
  })

  test('no address of a database', () => {
    for (const url of ['', undefined]) {
      expect(problemOf(() => postgres(url as never))).toBe(
        'postgres: url: is required, such as "postgres://user:password@localhost/shop"',
      )
    }
    expect(problemOf(() => sqlite('/nowhere/at/all/shop.db'))).toBe(
      'sqlite: path: the folder "/nowhere/at/all" does not exist',
    )
  })

  test('an address without a scheme, or of another database', () => {
    const rule = 'postgres: url: must begin with "postgres://"; write'
    for (const [address, expected] of [
      ['localhost:5432/shop', 'postgres://localhost:5432/shop'],
      ['db.example.org/shop', 'postgres://db.example.org/shop'],
      ['ada:secret@db.example.org/shop', 'postgres://user:password@db.example.org/shop'],
      ['mysql://ada:secret@localhost/shop', full],
      ['shop', full],
      ['postgres:localhost/shop', full],
    ] as const) {
      expect(problemOf(() => postgres(address))).toBe(`${rule} "${expected}"`)
      expect(problemOf(() => postgres({ connectionString: address }))).toBe(`${rule} "${expected}"`)
    }
    expect(problemOf(() => postgres('postgres://ada:secret@localhost:port/shop'))).toBe(
      `postgres: url: is not a valid address; write it like "${full}"`,
    )
    expect(problemOf(() => postgres({ primary: full, replicas: ['db-2/shop'] }))).toBe(
      'postgres.replicas[0]: url: must begin with "postgres://"; write "postgres://db-2/shop"',
    )
  })

  test.each([
    full,
    `${full}?sslmode=disable`,
    'postgresql://localhost',
    '/var/run/postgresql shop',
    'socket:/var/run/postgresql?db=shop',
  ])('but not the address %s', async address => {
    await postgres(address).close()
  })

  test('an SQLite database with the address of something else', () => {
    for (const [path, expected] of [
      ['file:shop.db', 'must be the path of a file, without a scheme; write "shop.db"'],
      ['sqlite:shop.db', 'must be the path of a file, without a scheme; write "shop.db"'],
      ['sqlite://data/shop.db', 'must be the path of a file, without a scheme; write "data/shop.db"'],
      ['file:///tmp/shop.db?mode=ro', 'must be the path of a file, without a scheme; write "/tmp/shop.db"'],
      ['postgres://ada:secret@localhost/shop', '"postgres:" is PostgreSQL; use postgres(...) of "viewset/pg"'],
      ['mysql://localhost/shop', 'must be the path of a file, such as "data/shop.db"; "mysql:" is another database'],
    ] as const) {
      expect(problemOf(() => sqlite(path))).toBe(`sqlite: path: ${expected}`)
    }
  })

  test('nothing that is right', async () => {
    expect(await start({ resources: { authors: BaseViewSet({ ...common, queryset: () => sql`true` }) } })).toBe(
      'nothing was refused',
    )
  })
})
