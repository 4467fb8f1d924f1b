import { addressOf, type BenchCase, type DialectName, type Side } from '../case.ts'
import { execute } from '../fixture/execute.ts'
import { resetPlaces } from '../fixture/schema.ts'
import { ChildServer } from './child-server.ts'
import { LoadConnection, readResponse, requestBytes, statusOf } from './load.ts'

/** Enough to keep a server busy, few enough to keep the machine's other core for PostgreSQL. */
const CONNECTIONS = 4
/** Rounds before the first one that counts. */
const WARM_UP = 4
/** Requests that both servers must answer alike before anything is measured; fewer in a case with shorter rounds. */
const COMPARED = 25

export interface MeasureOptions {
  readonly benchCase: BenchCase
  readonly dialect: DialectName
  readonly location: string
  readonly rounds: number
  readonly profile: string | undefined
  /** CPU time that the database server has used so far, in microseconds, where it can be told. */
  readonly databaseCpu: () => number | undefined
}

/** CPU time of one request in one round, in microseconds. */
export interface Sample {
  readonly server: number
  readonly database: number | undefined
}

export interface Measurement {
  readonly benchCase: BenchCase
  readonly dialect: DialectName
  /** One sample of each server for every round. */
  readonly rounds: readonly Readonly<Record<Side, Sample>>[]
  /** Memory that each server needed at most, beyond what it held before the first request; bytes. */
  readonly growth: Readonly<Record<Side, number>>
}

/** Compares the floor with Viewset: the same answers first, then their CPU time in alternating rounds. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { benchCase, dialect } = options
  const floor = await ChildServer.start({ ...options, side: 'floor' })
  const viewset = await ChildServer.start({ ...options, side: 'viewset' })
  try {
    await assertSameAnswers(options, floor, viewset)
    const rounds: Record<Side, Sample>[] = []
    // The first rounds warm up: compilers, caches and prepared statements.
    for (let round = -WARM_UP; round < options.rounds; round++) {
      const order = round % 2 === 0 ? [floor, viewset] : [viewset, floor]
      const samples = new Map<Side, Sample>()
      for (const server of order) samples.set(server.side, await runRound(options, server))
      if (round >= 0) rounds.push({ floor: samples.get('floor')!, viewset: samples.get('viewset')! })
    }
    const [{ growth: floorGrowth }, { growth }] = [await floor.usage(), await viewset.usage()]
    return { benchCase, dialect, rounds, growth: { floor: floorGrowth, viewset: growth } }
  } finally {
    await Promise.all([floor.stop(), viewset.stop()])
  }
}

async function assertSameAnswers(options: MeasureOptions, floor: ChildServer, viewset: ChildServer): Promise<void> {
  const { benchCase, dialect } = options
  const compared = Math.min(COMPARED, benchCase.requests[dialect])
  const expected = await answers(options, floor, compared)
  const actual = await answers(options, viewset, compared)
  const different = expected.findIndex((answer, n) => answer !== actual[n] || !answer.startsWith('2'))
  if (different === -1) return
  const { path } = benchCase.request(different)
  throw new Error(
    `${benchCase.name} ${path}: the answers differ\nfloor:   ${expected[different]}\nviewset: ${actual[different]}`,
  )
}

async function answers(options: MeasureOptions, server: ChildServer, count: number): Promise<string[]> {
  const { benchCase } = options
  await reset(options)
  const connection = await LoadConnection.open(server.port)
  const found: string[] = []
  for (let n = 0; n < count; n++) found.push(masked(benchCase, await connection.send(requestTo(benchCase, n))))
  connection.close()
  return found
}

/** A response without what may differ: the time, and what the case says. */
function masked({ own = [] }: BenchCase, response: Buffer): string {
  const { status, body } = readResponse(response)
  return `${status} ${body.replace(new RegExp(`"(${['timestamp', ...own].join('|')})":"[^"]*"`, 'g'), '"$1":"..."')}`
}

/** Both servers write to the same table: each finds it as the other did. */
async function reset({ benchCase, dialect, location }: MeasureOptions): Promise<void> {
  if (benchCase.writes) await execute(dialect, location, resetPlaces(dialect))
}

async function runRound(options: MeasureOptions, server: ChildServer): Promise<Sample> {
  const { benchCase, dialect, databaseCpu } = options
  const total = benchCase.requests[dialect]
  await reset(options)
  const opened = Array.from({ length: benchCase.connections ?? CONNECTIONS }, () => LoadConnection.open(server.port))
  const connections = await Promise.all(opened)
  const requests = Array.from({ length: total }, (_, n) => requestTo(benchCase, n))
  const databaseBefore = databaseCpu()
  const before = await server.usage()
  let next = 0
  await Promise.all(
    connections.map(async connection => {
      while (next < total) {
        const response = await connection.send(requests[next++] as Buffer)
        if (statusOf(response) >= 300) throw new Error(`${benchCase.name}: ${readResponse(response).body}`)
      }
    }),
  )
  const used = (await server.usage()).microseconds - before.microseconds
  const databaseAfter = databaseCpu()
  for (const connection of connections) connection.close()
  const database =
    databaseBefore === undefined || databaseAfter === undefined ? undefined : (databaseAfter - databaseBefore) / total
  return { server: used / total, database }
}

function requestTo(benchCase: BenchCase, n: number): Buffer {
  const { method, path, body } = benchCase.request(n)
  return requestBytes(method, addressOf(benchCase) + path, body)
}
