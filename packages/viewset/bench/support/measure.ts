import { addressOf, type BenchCase, type DialectName, type Side } from '../case.ts'
import { ChildServer } from './child-server.ts'
import { LoadConnection, readResponse, requestBytes, statusOf } from './load.ts'

/** Enough to keep a server busy, few enough to keep the machine's other core for PostgreSQL. */
const CONNECTIONS = 4
/** Rounds before the first one that counts. */
const WARM_UP = 4
/** Requests that both servers must answer alike before anything is measured. */
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
}

/** Compares the floor with Viewset: the same answers first, then their CPU time in alternating rounds. */
export async function measure(options: MeasureOptions): Promise<Measurement> {
  const { benchCase, dialect } = options
  const floor = await ChildServer.start({ ...options, side: 'floor' })
  const viewset = await ChildServer.start({ ...options, side: 'viewset' })
  try {
    await assertSameAnswers(benchCase, floor, viewset)
    const rounds: Record<Side, Sample>[] = []
    // The first rounds warm up: compilers, caches and prepared statements.
    for (let round = -WARM_UP; round < options.rounds; round++) {
      const order = round % 2 === 0 ? [floor, viewset] : [viewset, floor]
      const samples = new Map<Side, Sample>()
      for (const server of order) samples.set(server.side, await runRound(options, server))
      if (round >= 0) rounds.push({ floor: samples.get('floor')!, viewset: samples.get('viewset')! })
    }
    return { benchCase, dialect, rounds }
  } finally {
    await Promise.all([floor.stop(), viewset.stop()])
  }
}

async function assertSameAnswers(benchCase: BenchCase, floor: ChildServer, viewset: ChildServer): Promise<void> {
  const [first, second] = await Promise.all([LoadConnection.open(floor.port), LoadConnection.open(viewset.port)])
  for (let n = 0; n < COMPARED; n++) {
    const bytes = requestTo(benchCase, n)
    const [expected, actual] = (await Promise.all([first.send(bytes), second.send(bytes)])).map(maskedResponse)
    if (expected !== actual || !actual?.startsWith('200 ')) {
      throw new Error(`${benchCase.name}: the answers differ\nfloor:   ${expected}\nviewset: ${actual}`)
    }
  }
  first.close()
  second.close()
}

/** A response without what may differ: the time. */
function maskedResponse(response: Buffer): string {
  const { status, body } = readResponse(response)
  return `${status} ${body.replace(/"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/, '"timestamp":"..."')}`
}

async function runRound({ benchCase, dialect, databaseCpu }: MeasureOptions, server: ChildServer): Promise<Sample> {
  const total = benchCase.requests[dialect]
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => LoadConnection.open(server.port)))
  const databaseBefore = databaseCpu()
  const before = await server.cpu()
  let next = 0
  await Promise.all(
    connections.map(async connection => {
      while (next < total) {
        const response = await connection.send(requestTo(benchCase, next++))
        if (statusOf(response) >= 300) throw new Error(`${benchCase.name}: ${readResponse(response).body}`)
      }
    }),
  )
  const used = (await server.cpu()) - before
  const databaseAfter = databaseCpu()
  for (const connection of connections) connection.close()
  const database =
    databaseBefore === undefined || databaseAfter === undefined ? undefined : (databaseAfter - databaseBefore) / total
  return { server: used / total, database }
}

function requestTo(benchCase: BenchCase, n: number): Buffer {
  const { method, path } = benchCase.request(n)
  return requestBytes(method, addressOf(benchCase) + path)
}
