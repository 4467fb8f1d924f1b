import { addressOf, type BenchCase, type DialectName, type Side } from '../case.ts'
import { execute } from '../fixture/execute.ts'
import { resetPlaces } from '../fixture/schema.ts'
import { type ChildServer, startServer } from './child-server.ts'
import { LoadConnection, readResponse, requestBytes, statusOf } from './load.ts'
import { hasSettled } from './statistics.ts'

/** Enough to keep a server busy, few enough to keep the machine's other core for PostgreSQL. */
const CONNECTIONS = 4
/** Rounds before the first one that counts: until neither server gets faster, and no more than these. */
const MOST_WARM_UP = 40
/** Requests that both servers must answer alike before anything is measured; fewer in a case with shorter rounds. */
const COMPARED = 25

export interface MeasureOptions {
  readonly benchCase: BenchCase
  readonly dialect: DialectName
  readonly location: string
  readonly rounds: number
  readonly profile: string | undefined
  /** CPU time that the database server has used so far, in microseconds, if it is known. */
  readonly databaseCpu: () => number | undefined
  /** Rounds before those that count, at most. Default 40. */
  readonly mostWarmUp?: number
  readonly fromSource?: boolean
}

/** CPU time of one request in one round, in microseconds. */
export interface Sample {
  readonly server: number
  readonly database: number | undefined
}

export interface Measurement {
  /** Of the case. */
  readonly name: string
  readonly dialect: DialectName
  readonly target: number | undefined
  /** Rounds before those that count. */
  readonly warmUp: number
  /** One sample of each server for every round. */
  readonly rounds: readonly Round[]
  /** The most memory that each process held; bytes. */
  readonly peak: Readonly<Record<Side, number>>
}

export type Round = Readonly<Record<Side, Sample>>

/** Compares the floor with Viewset: the same answers first, then their CPU time in alternating rounds. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { benchCase, dialect } = options
  const floor = await startServer({ ...options, side: 'floor' })
  const viewset = await startServer({ ...options, side: 'viewset' })
  try {
    await assertSameAnswers(options, floor, viewset)
    const measured = await settledRounds(
      options.rounds,
      side => runRound(options, side === 'floor' ? floor : viewset),
      options.mostWarmUp,
    )
    const peak = { floor: (await floor.program.usage()).peak, viewset: (await viewset.program.usage()).peak }
    return { name: benchCase.name, dialect, target: benchCase.target?.[dialect], ...measured, peak }
  } finally {
    await Promise.all([floor.program.stop(), viewset.program.stop()])
  }
}

/** Rounds once neither side gets faster, and how many came before them. The sides begin in turn. */
export async function settledRounds(
  count: number,
  run: (side: Side) => Promise<Sample>,
  mostWarmUp = MOST_WARM_UP,
): Promise<Pick<Measurement, 'warmUp' | 'rounds'>> {
  const round = async (n: number): Promise<Round> => {
    const first = n % 2 === 0 ? await run('floor') : undefined
    const viewset = await run('viewset')
    return { floor: first ?? (await run('floor')), viewset }
  }
  const warmUp: Round[] = []
  while (warmUp.length < mostWarmUp && !isWarm(warmUp)) warmUp.push(await round(warmUp.length))
  const rounds: Round[] = []
  while (rounds.length < count) rounds.push(await round(rounds.length))
  return { warmUp: warmUp.length, rounds }
}

/** Compilers, caches and prepared statements have done what they will do. */
function isWarm(rounds: readonly Round[]): boolean {
  return hasSettled(rounds.map(({ floor }) => floor.server)) && hasSettled(rounds.map(({ viewset }) => viewset.server))
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

/** CPU time of one request, in a round of the case's requests. */
export async function runRound(options: MeasureOptions, server: ChildServer): Promise<Sample> {
  const { benchCase, dialect, databaseCpu } = options
  const total = benchCase.requests[dialect]
  await reset(options)
  const opened = Array.from({ length: benchCase.connections ?? CONNECTIONS }, () => LoadConnection.open(server.port))
  const connections = await Promise.all(opened)
  const requests = Array.from({ length: total }, (_, n) => requestTo(benchCase, n))
  const databaseBefore = databaseCpu()
  const before = await server.program.usage()
  let next = 0
  await Promise.all(
    connections.map(async connection => {
      while (next < total) {
        const response = await connection.send(requests[next++] as Buffer)
        if (statusOf(response) >= 300) throw new Error(`${benchCase.name}: ${readResponse(response).body}`)
      }
    }),
  )
  const used = (await server.program.usage()).microseconds - before.microseconds
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
