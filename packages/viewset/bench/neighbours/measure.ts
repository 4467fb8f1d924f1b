import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openAsBlob } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { insertMany } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import type { DialectName } from '../case.ts'
import { countryRows, models, writeCsv, writeXlsx } from '../import/fixture.ts'
import { latenciesDuring } from '../support/latencies.ts'
import { openPlace } from '../support/place.ts'
import { quantile } from '../support/statistics.ts'

/** How long a retrieve takes while the same process does something large; wall-clock time. */
export interface NeighbourResult {
  readonly dialect: DialectName
  readonly beside: string
  readonly rows: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  readonly requests: number
  /** How long the work took. */
  readonly seconds: number
  /** For how long the event loop was held at most. */
  readonly heldMs: number
  /** What the server held at most, MB. */
  readonly memory: number
}

/**
 * Retrieves a record again and again: alone, beside the import of a file, beside an export of what it brought, and beside
 * both: an import that changes each row, while one export follows the other.
 */
export async function* measureNeighbours(
  dialect: DialectName,
  rows: number,
  format: 'csv' | 'xlsx' = 'csv',
): AsyncGenerator<NeighbourResult> {
  const { postgres, folder, remove } = await openPlace(dialect)
  const tables = { ...models(dialect === 'pg' ? pgKit : sqliteKit) }
  const server = postgres ? { postgres: postgres.url } : {}
  const { database, url, drop } = await createTestDatabase({ ...server, schema: tables })
  const [path, changed] = [join(folder, `towns.${format}`), join(folder, 'changed.csv')]
  await (format === 'csv' ? writeCsv(path, rows, 1, 2) : writeXlsx(path, rows))
  await writeCsv(changed, rows, 1, 3)
  await database.transaction(() => insertMany(tables.countries, countryRows()))
  const child = fork(join(import.meta.dirname, 'server.ts'), [dialect, url, join(folder, 'jobs')], {
    execArgv: [...process.execArgv, '--max-old-space-size=256'],
  })
  try {
    const [origin] = (await once(child, 'message')) as [string]
    const country = `${origin}/countries/${countryRows()[0]?.id}/`
    const beside = async (name: string, work: () => Promise<unknown>): Promise<NeighbourResult> => {
      await ask(child, 'begin')
      const started = performance.now()
      const { times } = await latenciesDuring(country, work)
      const seconds = (performance.now() - started) / 1_000
      const [heldMs = 0, memory = 0] = await ask(child, 'figures')
      const [p50Ms, p99Ms, mostMs] = [quantile(times, 0.5), quantile(times, 0.99), quantile(times, 1)]
      return { dialect, beside: name, rows, p50Ms, p99Ms, mostMs, requests: times.length, seconds, heldMs, memory }
    }
    await latenciesDuring(country, () => sleep(2_000))
    yield await beside('nothing', () => sleep(5_000))
    yield await beside(`import of ${format.toUpperCase()}`, () => imported(origin, path))
    yield await beside('export of CSV', () => exported(origin))
    yield await beside('import and exports of CSV', async () => {
      let isOver = false
      const over = imported(origin, changed).finally(() => {
        isOver = true
      })
      do await exported(origin)
      while (!isOver)
      await over
    })
  } finally {
    child.kill()
    await drop()
    await remove()
  }
}

async function imported(origin: string, path: string): Promise<void> {
  const body = new FormData()
  body.append('file', await openAsBlob(path), basename(path))
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

async function exported(origin: string): Promise<void> {
  const response = await fetch(`${origin}/towns/export/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"file_type":"csv"}',
  })
  if (!response.ok || !response.body) throw new Error(await response.text())
  for await (const _ of response.body);
}

async function ask(child: ChildProcess, message: string): Promise<readonly number[]> {
  child.send(message)
  const [figures] = (await once(child, 'message')) as [readonly number[]]
  return figures
}
