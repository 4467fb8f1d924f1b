import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { describeDialects } from '../support/dialects.ts'
import { useDatabase } from '../support/imports.ts'
import { START_OPTIONS } from '../support/node-options.ts'
import { parts } from '../support/parts.ts'

const ENTRIES = 1_000_000
const RECORDS = 200_000
/** Megabytes of JavaScript objects that the process of the API may have. */
const HEAP = 256
/** Milliseconds in which 99 of 100 requests of another client are answered. */
const P99 = 200

const PROGRAM = join(import.meta.dirname, '../support/history-process.ts')

/** Statements that store entries of the record 1, each of which raises its stock by one. */
const NUMBERS = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ENTRIES})`
const COLUMNS = 'parts_history (record, action, source, at, before, after)'
const TIME = "'2099-01-01T00:00:00.000000Z'"
const entriesIn = {
  pg: `insert into ${COLUMNS} select '1', 'update', 'update', ${TIME}, jsonb_build_object('stock', n - 1),
    jsonb_build_object('stock', n) from generate_series(1, ${ENTRIES}) as n`,
  sqlite: `insert into ${COLUMNS} ${NUMBERS} select '1', 'update', 'update', ${TIME}, json_object('stock', n - 1),
    json_object('stock', n) from numbers`,
}

describeDialects(`an API with a heap of ${HEAP} MB`, dialect => {
  const db = useDatabase(dialect, parts(dialect.name))
  let child: ChildProcess
  let address: string
  const failed: string[] = []
  beforeAll(async () => {
    const files = mkdtempSync(join(tmpdir(), 'histories-'))
    child = fork(PROGRAM, [db.url, files], { execArgv: [...START_OPTIONS, `--max-old-space-size=${HEAP}`] })
    const [started] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    address = `${started}/api`
  })
  afterAll(() => child?.kill('SIGKILL'))

  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${address}${path}`, init)
    const text = await response.text()
    if (response.status >= 500) failed.push(`${path} ${response.status} ${text}`)
    return { status: response.status, ...JSON.parse(text) }
  }
  const post = (path: string, body: object) =>
    send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

  /** Reads a record again and again while `fn` runs. Returns how long 99 of 100 requests took at most. */
  const besides = async (what: string, fn: () => Promise<unknown>) => {
    let isOver = false
    const times: number[] = []
    const other = async () => {
      while (!isOver) {
        const start = performance.now()
        await send('/parts/1/')
        times.push(performance.now() - start)
        await sleep(20)
      }
    }
    const reading = other()
    const start = performance.now()
    try {
      await fn()
    } finally {
      isOver = true
      await reading
    }
    const sorted = times.toSorted((a, b) => a - b)
    const [p50, p99] = [0.5, 0.99].map(share => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0))
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${dialect.name}: ${what}: ${seconds} s; beside it ${times.length} reads, p50 ${p50} ms, p99 ${p99} ms`)
    expect(failed).toEqual([])
    return p99
  }

  const importRows = async (rows: Iterable<string>) => {
    const body = new FormData()
    body.set('file', new Blob([`code,name,stock,price\n${[...rows].join('\n')}\n`]), 'parts.csv')
    body.set('append_data', 'true')
    const { data } = await send('/parts/import-from-file/?background=true', { method: 'POST', body })
    return ended(data.id)
  }
  const ended = async (id: string): Promise<JobData> => {
    for (;;) {
      const { data } = await send(`/jobs/${id}/`)
      if (data.ended_at !== null) return data
      await sleep(500)
    }
  }

  test(`answers diff, at and revert of a record with ${ENTRIES} entries while others are served`, async () => {
    expect((await post('/parts/', { code: 'A', name: 'first', stock: 0, price: '1.00' })).status).toBe(201)
    const created = Number((await db.rows('parts_history', 'id')).flat()[0])
    await db.run(entriesIn[dialect.name])
    await db.run(`update parts set stock = ${ENTRIES} where code = 'A'`)
    const [first, last] = [created + 1, created + ENTRIES]
    const changes = async (from: number, to: number) =>
      (await send(`/parts/1/history/diff/?from=${from}&to=${to}`)).data.changes
    const whole = [{ field: 'stock', before: 1, after: ENTRIES }]
    expect(await besides('diff', async () => expect(await changes(first, last)).toEqual(whole))).toBeLessThan(P99)
    const at = async () => {
      expect((await send('/parts/1/?at=2098-01-01')).data).toMatchObject({ name: 'first', stock: 0 })
    }
    expect(await besides('at', at)).toBeLessThan(P99)
    const revert = async () => {
      expect((await post('/parts/1/revert/', { entry: created })).data).toMatchObject({ stock: 0, name: 'first' })
    }
    expect(await besides('revert', revert)).toBeLessThan(P99)
    const page = async () => expect((await send(`/parts/1/history/?page=${ENTRIES / 20}`)).status).toBe(200)
    expect(await besides('the last page but one', page)).toBeLessThan(P99)
  })

  test(`undoes an import of ${RECORDS} records while others are served`, async () => {
    const rows = (count: number, price: string) =>
      Array.from({ length: count }, (_, at) => `P${at},Part ${at},${at},${price}`)
    await importRows(rows(RECORDS / 2, '1.50'))
    const imported = await importRows(rows(RECORDS, '2.50'))
    expect(imported.progress).toMatchObject({ created: RECORDS / 2, updated: RECORDS / 2 })
    let undo: JobData | undefined
    const p99 = await besides('undo', async () => {
      const { data } = await post(`/jobs/${imported.id}/undo/`, {})
      undo = await ended(data.id)
    })
    expect(undo?.result).toMatchObject({ reversed: RECORDS, partly: 0, kept: 0, failed: 0, out_of_reach: 0 })
    expect(p99).toBeLessThan(P99)
  })
})
