import Fastify, { type FastifyInstance } from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  CursorPagination,
  Database,
  IdToDataField,
  ReadOnlyViewSet,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { modelInfo, searchIndexStatements } from 'viewset/internal'
import { createTestDatabase } from 'viewset/testing'
import { CountingDriver } from '../../test/support/counting-driver.ts'
import type { DialectName } from '../case.ts'
import { execute } from '../fixture/execute.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { median } from '../support/statistics.ts'

/** What one request for a list costs in a table of so many rows: CPU ms of the process and of PostgreSQL. */
export interface ListResult {
  readonly dialect: DialectName
  readonly rows: number
  readonly name: string
  readonly medianMs: number
}

/** The rows of the tables that `bench:report` measures. */
export const LIST_SIZES: Readonly<Record<DialectName, readonly number[]>> = {
  sqlite: [1_000, 100_000, 1_000_000],
  pg: [1_000_000],
}

const COUNTRIES = 250
const ROUNDS = 5

/** Measures lists of tables with so many rows each. `print` receives the plans of the statements in the last one. */
export async function* measureLists(
  dialect: DialectName,
  sizes: readonly number[],
  print?: (text: string) => void,
): AsyncGenerator<ListResult> {
  const postgres = dialect === 'pg' ? await startPostgres() : undefined
  try {
    for (const [place, rows] of sizes.entries()) {
      const isLast = place === sizes.length - 1
      yield* measureTable({ dialect, rows, postgres, print: isLast ? print : undefined })
    }
  } finally {
    await postgres?.stop()
  }
}

interface TableOptions {
  readonly dialect: DialectName
  readonly rows: number
  readonly postgres: PostgresServer | undefined
  readonly print: ((text: string) => void) | undefined
}

async function* measureTable({ dialect, rows, postgres, print }: TableOptions): AsyncGenerator<ListResult> {
  const { kit } = dialect === 'pg' ? await import('viewset/pg') : await import('viewset/sqlite')
  const tables = models(kit)
  const { database, url, drop } = await createTestDatabase({
    schema: tables,
    ...(postgres && { postgres: postgres.url }),
  })
  const driver = new CountingDriver(database.driver)
  const app = await serve(tables, new Database(driver))
  try {
    const index = searchIndexStatements([modelInfo(tables.cities)]).after
    // SQLite's index for search is built from the stored rows, as in a table of an application.
    const drops = index.filter(statement => statement.startsWith('DROP'))
    await execute(dialect, url, [...drops, ...fill[dialect](rows), ...index])
    const requests = await requestsOf(app, rows)
    for (const [name, path] of requests) {
      yield { dialect, rows, name, medianMs: await costOf(app, path, postgres?.cpu) }
    }
    if (print) for (const [name, path] of requests) print(await plansOf(app, driver, `${dialect}: ${name}`, path))
  } finally {
    await app.close()
    await drop()
  }
}

function models(c: ColumnKit) {
  const countries = c.table('countries', { id: c.integer().primaryKey(), name: c.text(100).notNull() })
  const cities = c.table(
    'cities',
    {
      id: c.uuid().primaryKey(),
      name: c.text(100).notNull(),
      country: c.foreignKey(countries).notNull(),
      population: c.integer().notNull(),
      remark: c.text(200),
    },
    t => [c.index(t.name, t.id), c.index(t.country, t.id), c.searchIndex(t.name)],
  )
  return { countries, cities }
}

/** One name of a thousand has "trond", and one of ten has "heim". */
const fill: Readonly<Record<DialectName, (rows: number) => readonly string[]>> = {
  pg: rows => [
    `insert into countries select n, 'Country ' || n from generate_series(0, ${COUNTRIES - 1}) as n`,
    `insert into cities select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid,
       ${nameOf('md5(n::text)')}, n % ${COUNTRIES}, n % 9973, repeat('x', 60)
     from generate_series(1, ${rows}) as n`,
    // An index-only scan needs pages that are visible to all transactions. An open snapshot would prevent that.
    'vacuum (analyze, freeze)',
    'vacuum (disable_page_skipping)',
  ],
  sqlite: rows => [
    `with n(n) as (select 0 union all select n + 1 from n where n < ${COUNTRIES - 1}) insert into countries select n, 'Country ' || n from n`,
    `with n(n) as (select 1 union all select n + 1 from n where n < ${rows})
     insert into cities select printf('%08x-0000-7000-8000-000000000000', n), ${nameOf('lower(hex(randomblob(8)))')}, n % ${COUNTRIES}, n % 9973, printf('%.60c', 'x') from n`,
  ],
}

function nameOf(random: string): string {
  return `substr(${random}, 1, 8) || case when n % 1000 = 7 then ' Trond' else ' Stad' end || case when n % 10 = 3 then 'heim' else '' end`
}

async function serve({ countries, cities }: ReturnType<typeof models>, database: Database): Promise<FastifyInstance> {
  const serializer = BaseModelSerializer(countries, { fields: ['id', 'name'] })
  const common = {
    model: cities,
    serializer: BaseModelSerializer(cities, {
      fields: ['id', 'name', 'country', 'population', 'remark'],
      extra: { country: IdToDataField({ queryset: countries, serializer }) },
    }),
    permissionClasses: [AllowAny],
    ordering: 'name',
    filterFields: ['country', 'population'],
    searchFields: ['name'],
  } as const
  const app = Fastify(serverOptions)
  await app.register(resources, {
    prefix: '/',
    database,
    resources: {
      cities: ReadOnlyViewSet(common),
      endless: ReadOnlyViewSet({ ...common, paginationClass: CursorPagination }),
    },
  })
  return app
}

async function requestsOf(app: FastifyInstance, rows: number): Promise<readonly (readonly [string, string])[]> {
  const { next } = JSON.parse((await app.inject('/endless/')).payload) as { next: string }
  const { pathname, search } = new URL(next)
  return [
    ['first page', '/cities/'],
    ['last page', `/cities/?page=${Math.ceil(rows / 20)}`],
    ['next page by cursor', pathname + search],
    ['of one country', '/cities/?country=7'],
    ['filter without an index', '/cities/?population=77'],
    ['search, 1 of 1,000', '/cities/?search=trond'],
    ['search, 1 of 10', '/cities/?search=heim'],
    ['search, none', '/cities/?search=zzzz'],
  ]
}

async function costOf(
  app: FastifyInstance,
  path: string,
  databaseCpu: (() => number | undefined) | undefined,
): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    const before = databaseCpu?.() ?? 0
    const { statusCode, payload } = await app.inject(path)
    if (statusCode !== 200) throw new Error(`${path}: ${payload}`)
    const { user, system } = process.cpuUsage(start)
    times.push(user + system + (databaseCpu?.() ?? 0) - before)
  }
  return median(times) / 1_000
}

/** The statements of a request with their plans. */
async function plansOf(app: FastifyInstance, driver: CountingDriver, title: string, path: string): Promise<string> {
  const sent: { text: string; values: readonly unknown[] }[] = []
  const run = driver.run.bind(driver)
  driver.run = (statement, values) => {
    sent.push({ text: statement.text, values })
    return run(statement, values)
  }
  await app.inject(path)
  driver.run = run
  const isPg = driver.dialect.name === 'pg'
  const explain = isPg ? 'explain (analyze, costs off, timing off, summary off) ' : 'explain query plan '
  const plans: string[] = []
  for (const { text, values } of sent.filter(statement => statement.text.startsWith('select'))) {
    const { rows } = await driver.run({ text: explain + text }, values)
    plans.push(`${text}\n${rows.map(row => `    ${row.at(-1)}`).join('\n')}`)
  }
  return `\n### ${title}\n${plans.join('\n')}`
}
