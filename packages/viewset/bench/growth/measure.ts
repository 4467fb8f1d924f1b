import { join } from 'node:path'
import type { DialectName } from '../case.ts'
import { cityId, countryId } from '../fixture/rows.ts'
import { needLinux } from '../support/left-out.ts'
import { openPlace, type Place } from '../support/place.ts'
import { StartedProcess } from '../support/started-process.ts'
import { seedRows } from './seed.ts'

export const GROWTH_OPERATIONS = ['retrieve', 'uncounted', 'list', 'deep', 'filter', 'search', 'export'] as const
export type GrowthOperation = (typeof GROWTH_OPERATIONS)[number]

/** What a request costs with so many rows in the table. */
export interface GrowthResult {
  readonly dialect: DialectName
  readonly rows: number
  /** CPU ms of a request, the server's and PostgreSQL's; of an export, microseconds of a row. */
  readonly cpu: Readonly<Record<GrowthOperation, number>>
  /** What the server held at most while it exported, MB. */
  readonly exportMemory: number
}

/** Requests of an operation end when it has used so much CPU, or there have been as many. */
const ENOUGH = { milliseconds: 400, requests: 200 }
/** Some are for warming up; a scan of a million rows is warm after one. */
const WARM_UP = { milliseconds: 400, requests: 200 }

export async function measureGrowth(dialect: DialectName, rows: number): Promise<GrowthResult> {
  needLinux()
  const place = await openPlace(dialect)
  try {
    await seedRows(dialect, place.location, rows)
    const server = await StartedProcess.start({
      command: [
        process.execPath,
        ...process.execArgv,
        '--max-old-space-size=256',
        join(import.meta.dirname, 'server.ts'),
        ...[dialect, place.location, 'PORT'],
      ],
      cwd: import.meta.dirname,
      path: '/api/cities/?page_size=1',
    })
    try {
      const ask = async (operation: GrowthOperation) => (await costOf(server, place, operation, rows)) / 1_000
      const [retrieve, uncounted, list] = [await ask('retrieve'), await ask('uncounted'), await ask('list')]
      const [deep, filter, search] = [await ask('deep'), await ask('filter'), await ask('search')]
      const exported = await exportOnce(server, place, rows)
      const cpu = { retrieve, uncounted, list, deep, filter, search, export: exported.microseconds }
      return { dialect, rows, cpu, exportMemory: exported.memory }
    } finally {
      await server.stop()
    }
  } finally {
    await place.remove()
  }
}

function requestOf(operation: GrowthOperation, n: number, rows: number): string {
  const page = 1 + Math.trunc(rows / 2 / 20)
  const paths: Readonly<Record<Exclude<GrowthOperation, 'export'>, string>> = {
    retrieve: `/api/cities/${cityId((n * 7_919) % rows)}/`,
    uncounted: '/api/uncounted/?page_size=20',
    list: '/api/cities/?page_size=20',
    deep: `/api/cities/?page_size=20&page=${page}`,
    filter: `/api/cities/?page_size=20&country=${countryId(n)}`,
    search: '/api/cities/?page_size=20&search=0001',
  }
  return operation === 'export' ? '' : paths[operation]
}

/** CPU of a request in microseconds, all processes together. */
async function costOf(server: StartedProcess, place: Place, operation: GrowthOperation, rows: number): Promise<number> {
  await askUntil(server, place, WARM_UP, n => requestOf(operation, n, rows))
  const { microseconds, requests } = await askUntil(server, place, ENOUGH, n => requestOf(operation, n, rows))
  return microseconds / requests
}

async function askUntil(
  server: StartedProcess,
  place: Place,
  enough: typeof ENOUGH,
  pathOf: (n: number) => string,
): Promise<{ readonly microseconds: number; readonly requests: number }> {
  const used = () => server.cpu() + (place.postgres?.cpu() ?? 0)
  const before = used()
  let requests = 0
  let spent = 0
  while (requests < enough.requests && spent < enough.milliseconds * 1_000) {
    const response = await fetch(server.origin + pathOf(requests))
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${response.url} answers ${response.status}`)
    requests++
    spent = used() - before
  }
  return { microseconds: spent, requests }
}

async function exportOnce(server: StartedProcess, place: Place, rows: number) {
  let memory = 0
  const look = setInterval(() => {
    memory = Math.max(memory, server.memory())
  }, 20)
  const before = server.cpu() + (place.postgres?.cpu() ?? 0)
  const response = await fetch(`${server.origin}/api/cities/export/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"file_type":"csv"}',
  })
  if (!response.ok || !response.body) throw new Error(`The export answers ${response.status}`)
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  clearInterval(look)
  if (bytes < rows * 50) throw new Error(`The export ended early, after ${bytes} bytes`)
  const spent = server.cpu() + (place.postgres?.cpu() ?? 0) - before
  return { microseconds: spent / rows, memory: Math.max(memory, server.memory()) / 1e6 }
}
