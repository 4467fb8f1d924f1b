import type { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { pdfWriter } from '../../src/tabular/pdf/write.ts'
import { openTabular } from '../../src/tabular/read/open.ts'
import { endRestingWorkers } from '../../src/tabular/warm-workers.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { noise } from './hostile-workbooks.ts'
import { readAll, withFile } from './read-support.ts'
import { bytesOf, columnsOf } from './support.ts'
import { workbook } from './workbook-xml.ts'

/** The threads that run, by the order of their start. */
const running = new Set<Worker>()
let started = 0
const count = (worker: Worker) => {
  started++
  running.add(worker)
  worker.once('exit', () => running.delete(worker))
}

beforeAll(() => void process.on('worker', count))
afterAll(() => void process.off('worker', count))
beforeEach(async () => {
  await endRestingWorkers()
  started = 0
})
afterEach(async () => {
  vi.useRealTimers()
  await endRestingWorkers()
})

const table = (rows: number) =>
  bytesOf(xlsxWriter().write(columnsOf('text'), [Array.from({ length: rows }, (_, i) => [`${i} ${'x'.repeat(50)}`])]))

const rowsOf = async (content: Uint8Array) => (await readAll(content)).map(({ rows }) => rows.length)

test('workbooks that are read one after the other share a thread', async () => {
  const [short, long] = [await table(3), await table(3_000)]
  expect([await rowsOf(short), await rowsOf(long), await rowsOf(short)]).toEqual([[3], [3_000], [3]])
  expect(started).toBe(1)
})

test('each open workbook has a thread of its own', async () => {
  const bytes = await table(3)
  await withFile(bytes, async path => {
    const files = await Promise.all([openTabular(path), openTabular(path), openTabular(path)])
    expect(running.size).toBe(3)
    await Promise.all(files.map(file => file.close()))
  })
  expect(running.size).toBe(2)
  await Promise.all([rowsOf(bytes), rowsOf(bytes)])
  expect(started).toBe(3)
})

test('a workbook that is closed in the middle of a sheet leaves its thread to the next one', async () => {
  const bytes = await table(30_000)
  await withFile(bytes, async path => {
    const file = await openTabular(path)
    for await (const batch of file.sheets[0]!.rows()) {
      expect(batch.length).toBeLessThan(30_000)
      break
    }
    await file.close()
  })
  expect(await rowsOf(bytes)).toEqual([30_000])
  expect(started).toBe(1)
})

test('rows of a closed workbook fail', async () => {
  await withFile(await table(30_000), async path => {
    const file = await openTabular(path)
    const rows = file.sheets[0]!.rows()[Symbol.asyncIterator]()
    await rows.next()
    await file.close()
    await expect(rows.next()).rejects.toThrow('The file was closed.')
  })
})

test.each([
  ['a damaged workbook', async () => workbook('<row>'), {}, 'unreadable'],
  ['a workbook that takes too long', () => table(20_000), { timeLimit: 1 }, 'out_of_time'],
  ['a workbook beyond a limit', () => table(300), { maxRows: 100 }, 'too_large'],
])('%s ends its thread, and the next one gets another', async (_, make, limits, code) => {
  await expect(readAll(await make(), { limits })).rejects.toMatchObject({ code })
  expect(running.size).toBe(0)
  expect(await rowsOf(await table(3))).toEqual([3])
  expect(started).toBe(2)
})

test('a workbook whose reader leaves ends its thread at once', async () => {
  await withFile(await table(30_000), async path => {
    const leaving = new AbortController()
    const file = await openTabular(path, { signal: leaving.signal })
    const rows = file.sheets[0]!.rows()[Symbol.asyncIterator]()
    await rows.next()
    leaving.abort()
    await expect(rows.next()).rejects.toThrow('aborted')
    await file.close()
  })
  expect(running.size).toBe(0)
})

test('a thread without work does not keep the process alive', async () => {
  const ports = () => process.getActiveResourcesInfo().filter(resource => resource === 'MessagePort').length
  const before = ports()
  await withFile(await table(3), async path => {
    const file = await openTabular(path)
    expect(ports()).toBe(before + 1)
    await file.close()
  })
  expect([running.size, ports()]).toEqual([1, before])
})

test('another limit of memory needs another thread', async () => {
  const bytes = await table(3)
  await rowsOf(bytes)
  await readAll(bytes, { limits: { memoryLimit: 100 } })
  await readAll(bytes, { limits: { memoryLimit: 100 } })
  expect(started).toBe(2)
})

test('a workbook that needs much memory ends its thread', async () => {
  const texts = Array.from({ length: 3_500 }, (_, at) => `<si><t>${noise(600, at)}${'x%y'.repeat(6_000)}</t></si>`)
  const content = workbook('', { 'xl/sharedStrings.xml': `<sst>${texts.join('')}</sst>` })
  await readAll(content)
  expect(running.size).toBe(0)
})

test('a thread ends after 30 seconds without work', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const bytes = await table(3)
  await rowsOf(bytes)
  vi.advanceTimersByTime(29_999)
  await rowsOf(bytes)
  vi.advanceTimersByTime(29_999)
  expect(running.size).toBe(1)
  vi.advanceTimersByTime(1)
  await vi.waitFor(() => expect(running.size).toBe(0))
  expect(started).toBe(1)
})

test('PDFs that are made one after the other share a thread', async () => {
  const pdf = () => bytesOf(pdfWriter().write(columnsOf('text'), [[['a']]]))
  for (const bytes of [await pdf(), await pdf()]) expect(String.fromCharCode(...bytes.subarray(0, 5))).toBe('%PDF-')
  expect(started).toBe(1)
})
