import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { CITIES, cityId, countryId, degrees, regionId } from '../fixture/rows.ts'
import { seed } from '../fixture/seed.ts'
import { needLinux } from '../support/left-out.ts'
import { openPlace } from '../support/place.ts'
import { StartedProcess } from '../support/started-process.ts'
import { median } from '../support/statistics.ts'
import { importFile } from './import-file.ts'
import { installPeers } from './install.ts'
import { can, PEERS, type Peer, type PeerRequest, type Read, type SentCity } from './peers.ts'
import { OPERATIONS, type Operation, type PeerResult } from './result.ts'

/** Requests of a round; before the first one, there are five times as many. */
const REQUESTS: Readonly<Record<Operation, number>> = { list: 100, get: 200, post: 200, bulk: 2, import: 1, export: 1 }
const WARM_UP = 5
/** A round ends when it has used so much CPU, so that a slow peer does not hold up the others; microseconds. */
const ENOUGH = 1e6
const BULK = 1_000

interface Contestant {
  readonly peer: Peer
  readonly server: StartedProcess
  readonly cpu: Record<Operation, number[]>
  /** Makes names that no city has yet. */
  next: number
}

/**
 * Measures the peers in turn, each as a process of its own over a file of its own, which all begin alike. Adds the names of
 * peers that are not installed to `leftOut`.
 */
export async function* measurePeers(rounds: number, leftOut: Set<string>): AsyncGenerator<PeerResult> {
  needLinux()
  const installed = installPeers()
  const place = await openPlace('sqlite')
  const contestants: Contestant[] = []
  try {
    await seed('sqlite', place.location)
    // What an import finds its rows by.
    const database = new Sqlite(place.location)
    for (const column of ['cities (name)', 'countries (code)', 'regions (code)']) {
      database.exec(`create unique index ${column.replaceAll(/\W+/g, '_')}unique on ${column}`)
    }
    database.pragma('wal_checkpoint(truncate)')
    database.close()
    for (const peer of PEERS) {
      if (isPython(peer) && python() === undefined) {
        leftOut.add(peer.name)
        console.log(`${peer.name} is left out: apt-get install python3-djangorestframework gunicorn`)
        continue
      }
      const file = join(place.folder, `${peer.file.replaceAll(/\W/g, '-')}.db`)
      copyFileSync(place.location, file)
      contestants.push(await start(peer, installed, file))
    }
    await assertSameAnswers(contestants)
    for (let round = -1; round < rounds; round++) {
      const order = round % 2 === 0 ? contestants : contestants.toReversed()
      for (const operation of OPERATIONS) {
        for (const contestant of order) await measureRound(contestant, operation, round, place)
      }
    }
    for (const contestant of contestants) yield resultOf(contestant, installed)
  } finally {
    for (const { server } of contestants) await server.stop()
    await place.remove()
  }
}

async function start(peer: Peer, installed: string, file: string): Promise<Contestant> {
  const gunicorn = ['-m', 'gunicorn', '-w', '1', '--threads', '1', '-k', 'gthread', '-b', '127.0.0.1:PORT', '-t', '300']
  const server = await StartedProcess.start({
    command: isPython(peer)
      ? [python() ?? '', ...gunicorn, '--log-level', 'error', '--chdir', join(installed, 'drf'), 'app:application']
      : [process.execPath, join(installed, peer.file), file, 'PORT'],
    cwd: installed,
    env: { BENCH_FILE: file },
    path: peer.path(cityId(1)),
  })
  return { peer, server, cpu: { list: [], get: [], post: [], bulk: [], import: [], export: [] }, next: 0 }
}

function isPython({ file }: Peer): boolean {
  return file.endsWith('.py')
}

/** The Python that has Debian's packages. It is not always the first one of the path. */
function python(): string | undefined {
  const knows = (program: string) => spawnSync(program, ['-c', 'import rest_framework, gunicorn']).status === 0
  return ['python3', '/usr/bin/python3'].find(knows)
}

/** All show the same cities, and the same number of them. */
async function assertSameAnswers(contestants: readonly Contestant[]): Promise<void> {
  const answers = await Promise.all(
    contestants.map(async ({ peer, server }) => {
      const read = readerOf(server)
      return { ...(await peer.list(read)), one: await peer.get(read, cityId(400)) }
    }),
  )
  answers.forEach((answer, n) => {
    if (isDeepStrictEqual(answer, answers[0])) return
    const both = JSON.stringify([answers[0], answer], null, 1)
    throw new Error(`${contestants[n]?.peer.name} does not answer as ${contestants[0]?.peer.name} does: ${both}`)
  })
}

async function measureRound(
  contestant: Contestant,
  operation: Operation,
  round: number,
  { folder }: { readonly folder: string },
): Promise<void> {
  const { peer, server, cpu } = contestant
  if (!can(peer, operation)) return
  const isWarmUp = round < 0
  const isFile = operation === 'import' || operation === 'export'
  const most = REQUESTS[operation] * (isWarmUp && !isFile ? WARM_UP : 1)
  const file = join(folder, 'cities.csv')
  if (operation === 'import') writeFileSync(file, importFile(round))
  let spent = 0
  let times = 0
  while (times < most && spent < ENOUGH) {
    times++
    const run = await prepared(contestant, operation, file)
    const before = server.cpu()
    await run()
    spent += server.cpu() - before
  }
  if (!isWarmUp) cpu[operation].push(spent / times / 1_000)
}

/** Everything but the request itself. */
async function prepared(contestant: Contestant, operation: Operation, file: string): Promise<() => Promise<unknown>> {
  const { peer, server } = contestant
  const newCity = (): SentCity => {
    const n = contestant.next++
    const [latitude, longitude] = [degrees(n, 53, 90), degrees(n, 97, 180)]
    return { name: `Villa ${n} "São"`, latitude, longitude, country: countryId(n), region: regionId(n) }
  }
  if (operation === 'list') return () => peer.list(readerOf(server))
  if (operation === 'get') {
    const id = cityId((contestant.next++ * 7_919) % CITIES)
    return () => peer.get(readerOf(server), id)
  }
  const requests: Readonly<Record<Exclude<Operation, 'list' | 'get'>, () => MaybePromise<PeerRequest | undefined>>> = {
    post: () => peer.post(newCity()),
    bulk: () => peer.bulk(Array.from({ length: BULK }, newCity)),
    import: () => peer.import?.(file),
    export: () => peer.export,
  }
  const prepared = await requests[operation]()
  return async () => prepared && ask(server, prepared)
}

type MaybePromise<T> = T | Promise<T>

function readerOf(server: StartedProcess): Read {
  return async path => JSON.parse(await ask(server, { method: 'GET', path }))
}

async function ask({ origin }: StartedProcess, { method, path, body, type }: PeerRequest): Promise<string> {
  const headers: Record<string, string> = type ? { 'content-type': type } : {}
  const sent = new Request(origin + path, { method, headers, body: body ?? null })
  const bytes = Buffer.from(await sent.arrayBuffer())
  // Not `fetch`, which gives up after five minutes: a slow import on a busy machine takes longer.
  const outgoing = request(origin + path, {
    method,
    headers: { ...Object.fromEntries(sent.headers), ...(body !== undefined && { 'content-length': bytes.length }) },
  })
  outgoing.end(bytes)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const answer = await text(response)
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${answer}`)
  return answer
}

function resultOf({ peer, server, cpu }: Contestant, installed: string): PeerResult {
  const source = readFileSync(join(installed, peer.file.replace('nest.js', 'nest.ts')), 'utf8')
  const figure = (operation: Operation) => (cpu[operation].length === 0 ? null : median(cpu[operation]))
  const [list, get, post, bulk] = [figure('list'), figure('get'), figure('post'), figure('bulk')]
  return {
    name: peer.name,
    version: versionOf(peer, installed),
    cpu: { list, get, post, bulk, import: figure('import'), export: figure('export') },
    startMs: server.startMs,
    startCpuMs: server.startCpuMs,
    memory: server.startMemory / 1e6,
    lines: source.split('\n').filter(line => line.trim() !== '').length,
  }
}

function versionOf(peer: Peer, installed: string): string {
  if (isPython(peer)) {
    const printed = spawnSync(python() ?? '', ['-c', 'import rest_framework; print(rest_framework.VERSION)'], {
      encoding: 'utf8',
    })
    return printed.stdout.trim()
  }
  const file = join(installed, 'node_modules', peer.package, 'package.json')
  return (createRequire(import.meta.url)(file) as { version: string }).version
}
