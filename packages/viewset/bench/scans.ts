// npm run bench:scans -- [--rows 171075] [--threads 2] [--threads 0] [--seconds 10]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { insertMany } from 'viewset'
import { kit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { countryRows, models, townRows, writeCsv } from './import/fixture.ts'
import { latenciesDuring } from './support/latencies.ts'
import { quantile } from './support/statistics.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '171075' },
    threads: { type: 'string', multiple: true, default: ['0', '2'] },
    seconds: { type: 'string', default: '10' },
  },
})
const rows = Number(options.rows)
const seconds = Number(options.seconds)
const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
const file = join(folder, 'towns.csv')
await writeCsv(file, rows, 1, 2)
const tables = { ...models(kit) }
const { database, url, drop } = await createTestDatabase({ schema: tables })
await database.transaction(async () => {
  await insertMany(tables.countries, countryRows())
  for (let at = 0; at < rows; at += 5_000) await insertMany(tables.towns, townRows(at, Math.min(at + 5_000, rows)))
})
console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}; ${rows} rows`,
)
for (const threads of options.threads) await measure(threads)
await drop()
await rm(folder, { recursive: true, force: true })

/** Retrieves a record again and again: alone, beside four searches, beside an export and beside a dry run. */
async function measure(threads: string): Promise<void> {
  const program = join(import.meta.dirname, 'neighbours/server.ts')
  const child = fork(program, ['sqlite', url, join(folder, `jobs-${threads}`)], {
    env: { ...process.env, READER_THREADS: threads },
  })
  const [origin] = (await once(child, 'message')) as [string]
  const record = `${origin}/countries/${countryRows()[0]?.id}/`
  const beside = async (name: string, during: () => Promise<unknown>) => {
    const start = await told(child, 'begin')
    const { times, result } = await latenciesDuring(record, during)
    const end = await told(child, 'figures')
    console.log(
      `${threads} threads  ${name.padEnd(14)} ${shown(times)}; held for ${end.held} ms at most; ` +
        `CPU ${((end.cpu - start.cpu) / 1_000).toFixed(1)} s; ${end.memory} MB at most${result ? `; ${result}` : ''}`,
    )
  }
  try {
    await latenciesDuring(record, () => sleep(2_000))
    await beside('alone', () => sleep(seconds * 500))
    await beside('four searches', () => searches(origin))
    await beside('an export', () => exported(origin))
    await beside('a dry run', () => dryRun(origin))
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

/** Four clients that search, each one search after the other. */
async function searches(origin: string): Promise<string> {
  const end = performance.now() + seconds * 1_000
  let answered = 0
  let refused = 0
  const client = async (n: number) => {
    while (performance.now() < end) {
      const response = await fetch(`${origin}/towns/?search=nowhere${n}`)
      await response.arrayBuffer()
      if (response.ok) answered++
      else refused++
    }
  }
  await Promise.all([1, 2, 3, 4].map(client))
  return `${answered} searches, ${refused} refused`
}

async function exported(origin: string): Promise<string> {
  const start = performance.now()
  const headers = { 'content-type': 'application/json' }
  const body = '{"file_type":"csv"}'
  const response = await fetch(`${origin}/towns/export/?ordering=-name`, { method: 'POST', headers, body })
  const { byteLength } = await response.arrayBuffer()
  return `${response.status}, ${byteLength} bytes in ${((performance.now() - start) / 1_000).toFixed(1)} s`
}

/** An import that stores nothing, while somebody writes every 50 ms. */
async function dryRun(origin: string): Promise<string> {
  const body = new FormData()
  body.append('file', await openAsBlob(file), 'towns.csv')
  body.append('append_data', 'true')
  body.append('dry_run', 'true')
  const start = performance.now()
  let isOver = false
  const running = fetch(`${origin}/towns/import-from-file/`, { method: 'POST', body })
    .then(async response => `${response.status} ${(await response.text()).slice(0, 120)}`)
    .finally(() => {
      isOver = true
    })
  const times: number[] = []
  let refused = 0
  while (!isOver) {
    const asked = performance.now()
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}/notes/`, { method: 'POST', headers, body: '{"text":"x"}' })
    await response.arrayBuffer()
    if (!response.ok) refused++
    times.push(performance.now() - asked)
    await sleep(50)
  }
  const answer = await running
  const took = ((performance.now() - start) / 1_000).toFixed(1)
  return `${took} s; creates beside it: ${shown(times)}, ${refused} refused; ${answer}`
}

interface Figures {
  readonly held: number
  readonly memory: number
  readonly cpu: number
}

/** `begin` starts the figures of how long it was held, and of memory, anew. */
async function told(child: ReturnType<typeof fork>, message: 'begin' | 'figures'): Promise<Figures> {
  child.send(message)
  const [[held = 0, memory = 0, cpu = 0]] = (await once(child, 'message')) as [readonly number[]]
  return { held: Math.round(held), memory: Math.round(memory), cpu }
}

function shown(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(1)
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms of ${times.length}`
}
