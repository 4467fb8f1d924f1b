// npm run bench:versions -w viewset -- [--rounds 31] [--dialect sqlite|pg]
// What a version and a history cost: each resource beside the same one without it, in one process, round by round.
import { parseArgs } from 'node:util'
import Fastify, { type FastifyInstance, type InjectOptions } from 'fastify'
import { AllowAny, BaseModelSerializer, BulkViewSet, type ColumnKit, insertMany, withoutHistory } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { DIALECTS, type DialectName } from './case.ts'
import { machine } from './support/machine.ts'
import { chosen } from './support/measure-cases.ts'
import { startPostgres } from './support/postgres.ts'
import { median } from './support/statistics.ts'
import { tableOf } from './support/table.ts'

const ROWS = 1_000

function models(c: ColumnKit) {
  const columns = () => ({
    id: c.integer().primaryKey(),
    name: c.text(200).notNull(),
    latitude: c.decimal(8, 5).notNull(),
    longitude: c.decimal(8, 5).notNull(),
    ...c.TimeStampMixin(),
  })
  const plain = c.table('plain', columns())
  const versioned = c.table('versioned', { ...columns(), ...c.VersionMixin() })
  const kept = c.table('kept', columns())
  return { plain, versioned, kept, ...c.HistoryTable(kept) }
}

function resourcesOf({ plain, versioned, kept }: ReturnType<typeof models>) {
  const fields = ['id', 'name', 'latitude', 'longitude', 'createdAt', 'updatedAt'] as const
  const open = { permissionClasses: [AllowAny] }
  return {
    plain: BulkViewSet({ ...open, model: plain, serializer: BaseModelSerializer(plain, { fields }) }),
    versioned: BulkViewSet({
      ...open,
      model: versioned,
      serializer: BaseModelSerializer(versioned, { fields }),
      version: 'version',
    }),
    kept: BulkViewSet({ ...open, model: kept, serializer: BaseModelSerializer(kept, { fields }) }),
  }
}

interface Comparison {
  readonly title: string
  readonly requests: number
  readonly without: (n: number) => InjectOptions
  readonly with: (n: number) => InjectOptions
  /** Whether the first side is the second one without its history. */
  readonly isOfHistory?: boolean
}

const id = (n: number) => ((n * 7_919) % ROWS) + 1
const change = (n: number) => ({ name: `Villa ${n}`, latitude: '59.91273' })
const bulk = (n: number) => Array.from({ length: ROWS }, (_, i) => ({ id: i + 1, name: `Villa ${n} ${i}` }))

const COMPARISONS: readonly Comparison[] = [
  {
    title: 'version: retrieve',
    requests: 500,
    without: n => ({ method: 'GET', url: `/plain/${id(n)}/` }),
    with: n => ({ method: 'GET', url: `/versioned/${id(n)}/` }),
  },
  {
    title: 'version: partial update',
    requests: 300,
    without: n => ({ method: 'PATCH', url: `/plain/${id(n)}/`, payload: change(n) }),
    with: n => ({ method: 'PATCH', url: `/versioned/${id(n)}/`, payload: change(n) }),
  },
  {
    title: 'version: bulk update of 1,000',
    requests: 8,
    without: n => ({ method: 'PATCH', url: '/plain/bulk-update/', payload: bulk(n) }),
    with: n => ({ method: 'PATCH', url: '/versioned/bulk-update/', payload: bulk(n) }),
  },
  {
    title: 'history: partial update',
    requests: 200,
    without: n => ({ method: 'PATCH', url: `/kept/${id(n)}/`, payload: change(n) }),
    with: n => ({ method: 'PATCH', url: `/kept/${id(n)}/`, payload: change(n + 1) }),
    isOfHistory: true,
  },
  {
    title: 'history: bulk update of 1,000',
    requests: 8,
    without: n => ({ method: 'PATCH', url: '/kept/bulk-update/', payload: bulk(2 * n) }),
    with: n => ({ method: 'PATCH', url: '/kept/bulk-update/', payload: bulk(2 * n + 1) }),
    isOfHistory: true,
  },
]

/** The CPU time of the database's processes so far, in microseconds. */
type DatabaseCpu = () => number

/** Milliseconds of a round: of the clock, and of the CPU of this process and of the database. */
async function timeOf(database: DatabaseCpu, run: () => Promise<void>) {
  const before = process.cpuUsage()
  const ofDatabase = database()
  const start = performance.now()
  await run()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { wall, cpu: (user + system + database() - ofDatabase) / 1_000 }
}

async function ask(app: FastifyInstance, { requests }: Comparison, from: number, make: Comparison['with']) {
  for (let n = from; n < from + requests; n++) {
    const { statusCode, body } = await app.inject(make(n))
    if (statusCode !== 200) throw new Error(`${statusCode}: ${body.slice(0, 300)}`)
  }
}

async function compare(app: FastifyInstance, cpu: DatabaseCpu, comparison: Comparison, rounds: number) {
  const { requests, isOfHistory = false } = comparison
  const ratios: { wall: number; cpu: number }[] = []
  const times: { without: number; with: number }[] = []
  for (let round = 0; round < rounds + 5; round++) {
    const from = round * requests
    const first = () => ask(app, comparison, from, comparison.without)
    const without = await timeOf(cpu, isOfHistory ? () => withoutHistory(first) : first)
    const added = await timeOf(cpu, () => ask(app, comparison, from, comparison.with))
    // The first rounds warm up.
    if (round < 5) continue
    ratios.push({ wall: added.wall / without.wall, cpu: added.cpu / without.cpu })
    times.push({ without: without.wall / requests, with: added.wall / requests })
  }
  return {
    wall: median(ratios.map(({ wall }) => wall)),
    cpu: median(ratios.map(({ cpu }) => cpu)),
    without: median(times.map(time => time.without)),
    with: median(times.map(time => time.with)),
  }
}

async function measure(dialect: DialectName, rounds: number): Promise<readonly (readonly string[])[]> {
  const tables = models(dialect === 'pg' ? pgKit : sqliteKit)
  const server = dialect === 'pg' ? await startPostgres() : undefined
  const { database, drop } = await createTestDatabase({ schema: tables, ...(server && { postgres: server.url }) })
  const app = Fastify(serverOptions)
  try {
    await app.register(resources, { database, resources: resourcesOf(tables) })
    const rows = Array.from({ length: ROWS }, (_, i) => ({ name: `City ${i}`, latitude: '59.1', longitude: '10.1' }))
    for (const table of [tables.plain, tables.versioned, tables.kept]) {
      await database.use(() => withoutHistory(() => insertMany(table, rows)))
    }
    const results: string[][] = []
    for (const comparison of COMPARISONS) {
      const result = await compare(app, () => server?.cpu() ?? 0, comparison, rounds)
      const more = (ratio: number) => `${((ratio - 1) * 100).toFixed(0)} %`
      const ms = (time: number) => `${time.toFixed(2)} ms`
      results.push([
        dialect,
        comparison.title,
        ms(result.without),
        ms(result.with),
        more(result.wall),
        more(result.cpu),
      ])
    }
    return results
  } finally {
    await app.close()
    await drop()
    await server?.stop()
  }
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '31' },
    dialect: { type: 'string', multiple: true, default: [...DIALECTS] },
  },
})
console.log(`${machine()}; medians of ${options.rounds} rounds`)
const results: (readonly string[])[] = []
for (const dialect of chosen('--dialect', options.dialect, DIALECTS)) {
  results.push(...(await measure(dialect, Number(options.rounds))))
}
const head = ['database', 'case', 'without', 'with', 'more time', 'more CPU']
console.log(tableOf({ words: 2, rows: [head, ...results] }))
