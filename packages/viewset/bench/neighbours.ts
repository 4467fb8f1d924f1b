// npm run bench:neighbours -- [--rows 100000] [--format csv|xlsx] [--dialect sqlite|pg]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { insertMany } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { countryRows, models, writeCsv, writeXlsx } from './import/fixture.ts'
import { startPostgres } from './support/postgres.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    format: { type: 'string', multiple: true, default: ['csv', 'xlsx'] },
    dialect: { type: 'string', multiple: true, default: ['pg', 'sqlite'] },
  },
})
const rows = Number(options.rows)
/** Milliseconds between two requests of the neighbour. */
const PAUSE = 2
const folder = await mkdtemp(join(tmpdir(), 'viewset-bench-'))
const postgres = options.dialect.includes('pg') ? await startPostgres() : undefined
try {
  console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}; ${rows} rows in the background`)
  for (const format of options.format) {
    const path = join(folder, `towns.${format}`)
    await (format === 'csv' ? writeCsv(path, rows, 1, 2) : writeXlsx(path, rows))
    for (const dialect of options.dialect) await measure(dialect as 'pg' | 'sqlite', path, format)
  }
} finally {
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
}

/** Retrieves a record again and again, first alone and then while a file is imported by the same process. */
async function measure(dialect: 'pg' | 'sqlite', path: string, format: string): Promise<void> {
  const tables = { ...models(dialect === 'pg' ? pgKit : sqliteKit) }
  const server = dialect === 'pg' && postgres ? { postgres: postgres.url } : {}
  const { database, url, drop } = await createTestDatabase({ ...server, schema: tables })
  await database.transaction(() => insertMany(tables.countries, countryRows()))
  const program = join(import.meta.dirname, 'import/server.ts')
  const child = fork(program, [dialect, url, join(folder, `jobs-${dialect}-${format}`)])
  try {
    const [origin] = (await once(child, 'message')) as [string]
    const country = `${origin}/countries/${countryRows()[0]?.id}/`
    await latencies(country, async () => sleep(2_000))
    const alone = await latencies(country, async () => sleep(5_000))
    const started = performance.now()
    const beside = await latencies(country, () => imported(origin, path, format))
    const seconds = ((performance.now() - started) / 1_000).toFixed(1)
    const [longest, memory] = await told(child)
    console.log(
      `${dialect} ${format}`.padEnd(12),
      `alone ${shown(alone)}; beside the import ${shown(beside)};`,
      `import ${seconds} s; event loop held for ${longest} ms at most; ${memory} MB at most`,
    )
  } finally {
    child.kill()
    await drop()
  }
}

async function latencies(url: string, during: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  let isOver = false
  const over = during().finally(() => {
    isOver = true
  })
  while (!isOver) {
    const start = performance.now()
    const response = await fetch(url)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
    times.push(performance.now() - start)
    await sleep(PAUSE)
  }
  await over
  return times.toSorted((a, b) => a - b)
}

async function imported(origin: string, path: string, format: string): Promise<void> {
  const body = new FormData()
  body.append('file', await openAsBlob(path), `towns.${format}`)
  body.append('append_data', 'true')
  const accepted = await fetch(`${origin}/towns/import-from-file/?background=true`, { method: 'POST', body })
  const address = accepted.headers.get('location')
  if (accepted.status !== 202 || address === null) throw new Error(await accepted.text())
  for (;;) {
    const { data } = (await (await fetch(address)).json()) as { data: { state: string; progress: object } }
    if (data.state === 'succeeded') return
    if (data.state === 'failed') throw new Error(JSON.stringify(data))
    await sleep(250)
  }
}

async function told(child: ReturnType<typeof fork>): Promise<readonly number[]> {
  child.send('figures')
  const [figures] = (await once(child, 'message')) as [readonly number[]]
  return figures
}

function shown(times: readonly number[]): string {
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(1)
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} ms of ${times.length}`
}
