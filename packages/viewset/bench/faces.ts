// npm run bench:faces -- [--rounds 9]
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FaceCase, faceCases } from './faces/cases.ts'
import type { FaceAnswer, FaceQuestion } from './faces/process.ts'
import { servers } from './faces/servers.ts'
import { execute } from './fixture/execute.ts'
import { seed } from './fixture/seed.ts'
import { LoadConnection, readResponse, requestBytes, statusOf } from './support/load.ts'
import { rate } from './support/report.ts'
import { median } from './support/statistics.ts'

const PROGRAM = join(import.meta.dirname, 'faces/process.ts')
const CONNECTIONS = 4
/** Rounds before the first one that counts. */
const WARM_UP = 3

interface Face {
  readonly name: string
  readonly process: ChildProcess
  /** None of a handler without a server, which asks itself. */
  readonly port: number | undefined
}

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } })
const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
const location = join(folder, 'bench.db')
const faces: Face[] = []
try {
  await seed('sqlite', location)
  for (const name of [...Object.keys(servers), 'fetch, without a server']) faces.push(await start(name))
  console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`)
  console.log('Requests per CPU second; in brackets, what that is of Fastify: median (lowest, highest)\n')
  console.log(row(['face', ...faceCases.map(({ name }) => name)]))
  const columns = new Map<FaceCase, readonly string[]>()
  for (const faceCase of faceCases) columns.set(faceCase, cells(await measure(faceCase)))
  for (const [i, { name }] of faces.entries()) {
    console.log(row([name, ...faceCases.map(faceCase => columns.get(faceCase)?.[i] ?? '')]))
  }
} finally {
  for (const face of faces) face.process.disconnect()
  await rm(folder, { recursive: true, force: true })
}

async function start(name: string): Promise<Face> {
  const child = fork(PROGRAM, [name, location])
  const { port } = await answer(child, name)
  return { name, process: child, port }
}

/** CPU time of one request of each face in each round, in microseconds; the faces take turns at being first. */
async function measure(faceCase: FaceCase): Promise<readonly (readonly number[])[]> {
  const samples = faces.map((): number[] => [])
  for (let round = -WARM_UP; round < Number(options.rounds); round++) {
    for (let turn = 0; turn < faces.length; turn++) {
      const index = (turn + round + WARM_UP) % faces.length
      await execute('sqlite', location, ['delete from places'])
      const used = await runRound(faces[index]!, faceCase)
      if (round >= 0) samples[index]!.push(used / faceCase.requests)
    }
  }
  return samples
}

async function runRound(face: Face, faceCase: FaceCase): Promise<number> {
  const before = await ask(face, { ask: 'usage' })
  if (face.port === undefined) return (await ask(face, { ask: 'requests', of: faceCase.name })) - before
  const requests = Array.from({ length: faceCase.requests }, (_, n) => {
    const { method, path, body } = faceCase.request(n)
    return requestBytes(method, path, body)
  })
  const load = async (port: number) => {
    const connection = await LoadConnection.open(port)
    for (let request = requests.pop(); request; request = requests.pop()) {
      const response = await connection.send(request)
      if (statusOf(response) >= 300) throw new Error(`${face.name}: ${readResponse(response).body}`)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, () => load(face.port!)))
  return (await ask(face, { ask: 'usage' })) - before
}

async function ask(face: Face, question: FaceQuestion): Promise<number> {
  face.process.send(question)
  return (await answer(face.process, face.name)).microseconds
}

async function answer(child: ChildProcess, name: string): Promise<FaceAnswer> {
  const ended = new AbortController()
  const message = once(child, 'message', { signal: ended.signal }).then(([told]) => told as FaceAnswer)
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]): never => {
    throw new Error(`${name} ended with code ${code}: see the message above`)
  })
  return Promise.race([message, exit]).finally(() => {
    ended.abort()
    exit.catch(() => {})
  })
}

/** A cell of each face: how many requests, and what that is of the first face. */
function cells(samples: readonly (readonly number[])[]): readonly string[] {
  const [first = []] = samples
  return samples.map(face => {
    const ratios = face.map((used, round) => first[round]! / used)
    const spread = `${Math.min(...ratios).toFixed(2)}, ${Math.max(...ratios).toFixed(2)}`
    return `${rate(1e6 / median(face))} [${median(ratios).toFixed(2)} (${spread})]`
  })
}

function row(texts: readonly string[]): string {
  return `| ${texts.join(' | ')} |`
}
