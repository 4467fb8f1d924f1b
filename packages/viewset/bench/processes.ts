// npm run bench:processes -- [--rounds n] [--requests n] [--rate n]
//
// Requests per CPU second of one process, of two behind one port, and of one that reads a standby, on PostgreSQL; and of one
// and two that are written by hand, since two processes that take turns on a core cost anybody. With `--rate`, all are asked
// at a pace rather than as fast as they answer: two processes so many times a second each, and one process as often as that,
// and as often as both of the two, since a machine that does more works differently.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { kit } from 'viewset/pg'
import { createTestDatabase } from 'viewset/testing'
import { notesTable } from '../test/support/notes.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'

const PROGRAM = new URL('./processes-server.ts', import.meta.url)
/** To each process: what is asked grows with what answers. */
const CONNECTIONS = 8
/** Requests of each kind to each process before anything counts. */
const WARM_UP = 2_500

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '11' },
    requests: { type: 'string', default: '2000' },
    rate: { type: 'string', default: 'Infinity' },
  },
})
const [rounds, requests, rate] = [Number(values.rounds), Number(values.requests), Number(values.rate)]

/** Processes that serve one port. */
interface Candidate {
  readonly name: string
  readonly program: ChildProcess
  readonly port: number
  readonly agent: Agent
  readonly count: number
  /** How many processes' requests it is asked. */
  readonly share: number
  results: Record<string, number[]>
}

interface Setup {
  readonly location: string
  readonly count?: number
  readonly share?: number
  readonly isByHand?: boolean
}

async function start(name: string, { location, count = 1, share = count, isByHand }: Setup): Promise<Candidate> {
  const how = isByHand ? ['by-hand'] : []
  const program = fork(PROGRAM, [location, String(count), ...how], { execArgv: ['--conditions=viewset-source'] })
  const [port] = await Promise.race([once(program, 'message'), once(program, 'exit')])
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS * share })
  return { name, count, share, program, port: Number(port), agent, results: {} }
}

/** CPU seconds of a process and its children, by the nanoseconds of each thread. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map(thread =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const own = times.reduce((sum, time) => sum + time, 0) / 1e9
  return children.reduce((sum, child) => sum + cpuOf(Number(child)), own)
}

async function ask({ port, agent }: Candidate, method: string, path: string, body?: string): Promise<string> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const request = send({ host: '127.0.0.1', port, agent, method, path: `/api${path}`, headers })
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  if (response.statusCode >= 300) throw new Error(`${method} ${path} is ${response.statusCode}: ${text}`)
  return text
}

async function measure(
  candidate: Candidate,
  kind: string,
  requests: number,
  rate: number,
  one: () => Promise<unknown>,
): Promise<void> {
  const before = cpuOf(candidate.program.pid!)
  const began = performance.now()
  let asked = 0
  const client = async () => {
    while (asked < requests) {
      const early = began + (asked++ * 1_000) / (rate * candidate.share) - performance.now()
      if (early > 0) await sleep(early)
      await one()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS * candidate.share }, client))
  candidate.results[kind] ??= []
  candidate.results[kind].push(requests / (cpuOf(candidate.program.pid!) - before))
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

const primary = await startPostgresServer({ settings: { synchronous_commit: 'on' } })
const standby = await primary.standby()
const { url, drop } = await createTestDatabase({ postgres: primary.url, schema: { notes: notesTable(kit) } })
const replica = Object.assign(new URL(url), { port: standby.port }).href
const candidates = [
  await start('one process', { location: url }),
  await start('one process, asked as often as two', { location: url, share: 2 }),
  await start('two processes', { location: url, count: 2 }),
  await start('one process, primary and standby', { location: JSON.stringify({ primary: url, replicas: [replica] }) }),
  await start('by hand, one process', { location: url, isByHand: true }),
  await start('by hand, one process, asked as often as two', { location: url, share: 2, isByHand: true }),
  await start('by hand, two processes', { location: url, count: 2, isByHand: true }),
]
try {
  const ids: string[] = []
  for (let i = 0; i < 200; i++) {
    ids.push(JSON.parse(await ask(candidates[0]!, 'POST', '/notes/', JSON.stringify({ text: `${i}` }))).data.id)
  }
  const id = () => ids[Math.floor(Math.random() * ids.length)]
  const all = async (candidate: Candidate, requests: number, rate: number) => {
    await measure(candidate, 'retrieve', requests, rate, () => ask(candidate, 'GET', `/notes/${id()}/`))
    await measure(candidate, 'list of 20', requests, rate, () => ask(candidate, 'GET', '/notes/'))
    await measure(candidate, 'update', requests, rate, () => ask(candidate, 'PATCH', `/notes/${id()}/`, '{"text":"x"}'))
  }
  for (const candidate of candidates) {
    // Each process has as much to warm up by.
    await all(candidate, WARM_UP * candidate.count, Number.POSITIVE_INFINITY)
    candidate.results = {}
  }
  for (let round = 0; round < rounds; round++) {
    // Nobody is always the first, nor always behind the same other.
    const first = (round * 3) % candidates.length
    const inTurn = [...candidates.slice(first), ...candidates.slice(0, first)]
    for (const candidate of round % 2 === 0 ? inTurn : inTurn.reverse()) {
      await all(candidate, requests * candidate.share, rate)
    }
  }
  console.log(
    `Node ${process.version}, ${rounds} rounds of ${requests} requests, ${rate} a second to each process; requests per CPU second`,
  )
  for (const { name, results } of candidates) {
    const base = candidates.find(other => name.startsWith('by hand') === other.name.startsWith('by hand'))
    for (const [kind, figures] of Object.entries(results)) {
      const ratios = figures.map((figure, round) => figure / (base?.results[kind]?.[round] ?? 0))
      const spread = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(ratio => ratio.toFixed(2))
      console.log(`| ${name} | ${kind} | ${Math.round(median(figures))} | ${spread[0]} (${spread[1]}, ${spread[2]}) |`)
    }
  }
} finally {
  for (const { program, agent } of candidates) {
    agent.destroy()
    program.kill('SIGTERM')
    await once(program, 'exit')
  }
  await drop()
  await standby.stop()
  await primary.stop()
}
