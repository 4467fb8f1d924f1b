// npm run bench:plans -w viewset -- [--dialect sqlite|pg] [--rows 1000 --rows 1000000] [--record]
// With --record, docs/large-tables.md shows what it measured once `npm run bench:report -- --render` has run.
import { parseArgs } from 'node:util'
import Fastify from 'fastify'
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
import { createTestDatabase } from 'viewset/testing'
import { modelInfo } from '../src/model/model-info.ts'
import { searchIndexStatements } from '../src/store/search-index.ts'
import { CountingDriver } from '../test/support/counting-driver.ts'
import { DIALECTS, type DialectName } from './case.ts'
import { execute } from './fixture/execute.ts'
import { machine } from './support/machine.ts'
import { startPostgres } from './support/postgres.ts'
import { type ListResult, readResults, withList, writeResults } from './support/results.ts'

const COUNTRIES = 250
const ROUNDS = 5

const { values: options } = parseArgs({
  options: {
    dialect: { type: 'string', multiple: true, default: [...DIALECTS] },
    rows: { type: 'string', multiple: true, default: ['1000', '10000', '100000', '1000000'] },
    record: { type: 'boolean', default: false },
  },
})
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

/** Names of which one in a thousand has "trond", and one in ten "heim". */
const fill: Readonly<Record<DialectName, (rows: number) => readonly string[]>> = {
  pg: rows => [
    `insert into countries select n, 'Country ' || n from generate_series(0, ${COUNTRIES - 1}) as n`,
    `insert into cities select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000')::uuid,
       ${nameOf('md5(n::text)')}, n % ${COUNTRIES}, n % 9973, repeat('x', 60)
     from generate_series(1, ${rows}) as n`,
    // Index-only scans need to know which pages all can see; a snapshot that is held meanwhile would hide it.
    'vacuum (analyze, freeze)',
    'vacuum (disable_page_skipping)',
  ],
  sqlite: rows => [
    `with n(n) as (select 0 union all select n + 1 from n where n < ${COUNTRIES - 1}) insert into countries select n, 'Country ' || n from n`,
    `with n(n) as (select 1 union all select n + 1 from n where n < ${rows})
     insert into cities select printf('%08x-0000-7000-8000-000000000000', n), ${nameOf('lower(hex(randomblob(8)))')}, n % ${COUNTRIES}, n % 9973, printf('%.60c', 'x') from n`,
  ],
}

console.log(machine())
for (const dialect of DIALECTS) if (options.dialect.includes(dialect)) await measureAll(dialect)

function nameOf(random: string): string {
  return `substr(${random}, 1, 8) || case when n % 1000 = 7 then ' Trond' else ' Stad' end || case when n % 10 = 3 then 'heim' else '' end`
}

async function measureAll(dialect: DialectName): Promise<void> {
  const postgres = dialect === 'pg' ? await startPostgres() : undefined
  const { kit } = dialect === 'pg' ? await import('viewset/pg') : await import('viewset/sqlite')
  const tables = models(kit)
  const index = searchIndexStatements([modelInfo(tables.cities)]).after
  try {
    for (const [place, text] of options.rows.entries()) {
      const rows = Number(text)
      const made = await createTestDatabase({ schema: tables, ...(postgres && { postgres: postgres.url }) })
      const driver = new CountingDriver(made.database.driver)
      // On SQLite the index for search is filled at once, as on a table that is there.
      const drops = index.filter(statement => statement.startsWith('DROP'))
      await execute(dialect, made.url, [...drops, ...fill[dialect](rows), ...index])
      await measure(dialect, new Database(driver), driver, rows, postgres?.cpu, place === options.rows.length - 1)
      await made.drop()
    }
  } finally {
    await postgres?.stop()
  }
}

async function measure(
  dialect: DialectName,
  database: Database,
  driver: CountingDriver,
  rows: number,
  databaseCpu: (() => number | undefined) | undefined,
  withPlans: boolean,
): Promise<void> {
  const { kit } = dialect === 'pg' ? await import('viewset/pg') : await import('viewset/sqlite')
  const tables = models(kit)
  const common = {
    model: tables.cities,
    serializer: BaseModelSerializer(tables.cities, {
      fields: ['id', 'name', 'country', 'population', 'remark'],
      extra: {
        country: IdToDataField({
          queryset: tables.countries,
          serializer: BaseModelSerializer(tables.countries, { fields: ['id', 'name'] }),
        }),
      },
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
  const first = JSON.parse((await app.inject('/endless/')).payload)
  const last = Math.ceil(rows / 20)
  const requests: readonly (readonly [string, string])[] = [
    ['first page', '/cities/'],
    ['last page', `/cities/?page=${last}`],
    ['next page by cursor', new URL(first.next).pathname + new URL(first.next).search],
    ['of one country', '/cities/?country=7'],
    ['filter without an index', '/cities/?population=77'],
    ['search, 1 of 1,000', '/cities/?search=trond'],
    ['search, 1 of 10', '/cities/?search=heim'],
    ['search, none', '/cities/?search=zzzz'],
  ]
  for (const [name, url] of requests) {
    const cpuTimes: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const start = process.cpuUsage()
      const before = databaseCpu?.() ?? 0
      const { statusCode, payload } = await app.inject(url)
      if (statusCode !== 200) throw new Error(`${url}: ${payload}`)
      const { user, system } = process.cpuUsage(start)
      cpuTimes.push(user + system + (databaseCpu?.() ?? 0) - before)
    }
    const [once] = cpuTimes
    const median = cpuTimes.toSorted((a, b) => a - b)[Math.trunc(ROUNDS / 2)] ?? 0
    const milliseconds = (time = 0) => (time / 1000).toFixed(1)
    if (options.record) record({ dialect, rows, name, medianMs: median / 1000 })
    console.log(
      `| ${dialect} | ${rows.toLocaleString('en-US')} | ${name} | ${milliseconds(once)} | ${milliseconds(median)} |`,
    )
  }
  if (withPlans) for (const [name, url] of requests) await printPlans(dialect, app, driver, name, url)
  await app.close()
}

function record(result: ListResult): void {
  const results = readResults()
  const { lists, measured } = results
  writeResults({ ...results, measured: { ...measured, lists: machine() }, lists: withList(lists, result) })
}

/** The plans of the statements that a request has sent last. */
async function printPlans(
  dialect: DialectName,
  app: { inject(url: string): PromiseLike<unknown> },
  driver: CountingDriver,
  name: string,
  url: string,
): Promise<void> {
  const sent: { text: string; values: readonly unknown[] }[] = []
  const run = driver.run.bind(driver)
  driver.run = (statement, values) => {
    sent.push({ text: statement.text, values })
    return run(statement, values)
  }
  await app.inject(url)
  driver.run = run
  console.log(`\n### ${dialect}: ${name}`)
  for (const { text, values } of sent.filter(statement => statement.text.startsWith('select'))) {
    const explain = dialect === 'pg' ? 'explain (analyze, costs off, timing off, summary off) ' : 'explain query plan '
    const { rows } = await driver.run({ text: explain + text }, values)
    console.log(`${text}\n${rows.map(row => `    ${row.at(-1)}`).join('\n')}`)
  }
}
