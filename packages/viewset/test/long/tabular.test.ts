import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { streamXlsxRows } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { csvWriter } from '../../src/tabular/csv/write.ts'
import type { CellRow } from '../../src/tabular/table.ts'
import type { TabularWriter } from '../../src/tabular/writer.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { withFile } from '../tabular/read-support.ts'
import { bytesOf, columnsOf } from '../tabular/support.ts'

const MEGABYTE = 1024 * 1024
const run = promisify(execFile)
const columns = columnsOf('integer', 'text', 'decimal', 'boolean', 'date', 'timestamp', 'text', 'float')

function* rows(count: number): Generator<CellRow[]> {
  for (let at = 0; at < count; at += 1000) {
    yield Array.from({ length: Math.min(1000, count - at) }, (_, index) => row(at + index))
  }
}

function row(index: number): CellRow {
  const day = String((index % 28) + 1).padStart(2, '0')
  const time = `2026-01-${day}T10:30:00.${String(index % 1_000_000).padStart(6, '0')}Z`
  return [index, `City ${index}`, `${index}.50`, index % 2 === 0, `2026-02-${day}`, time, 'words, "quoted"', index / 7]
}

/** Writes `count` rows to a reader that pauses after each megabyte: the most memory the process had, in megabytes. */
async function peakMemory(writer: TabularWriter, count: number): Promise<number> {
  let peak = 0
  let unseen = 0
  const reader = new Writable({
    async write(chunk: Buffer, _encoding, done) {
      unseen += chunk.length
      if (unseen > MEGABYTE) {
        unseen = 0
        peak = Math.max(peak, process.memoryUsage.rss())
        await delay(2)
      }
      done()
    },
  })
  await pipeline(writer.write(columns, rows(count)), reader)
  return Math.round(peak / MEGABYTE)
}

test.each([csvWriter(), xlsxWriter()])('1,000,000 rows of $format take no more memory than 100,000', async writer => {
  await peakMemory(writer, 20_000)
  const tenth = await peakMemory(writer, 100_000)
  const whole = await peakMemory(writer, 1_000_000)
  console.log(`${writer.format}: ${tenth} MB for 100,000 rows, ${whole} MB for 1,000,000`)
  // The heap grows to what V8 finds comfortable; ten times the rows would be gigabytes.
  expect(whole - tenth).toBeLessThan(100)
})

test.each([csvWriter(), xlsxWriter()])(
  '1,000,000 rows of $format are read in no more memory than 100,000',
  async writer => {
    const figures: { seconds: number; megabytes: number }[] = []
    for (const count of [100_000, 1_000_000]) {
      await withFile('', async path => {
        await pipeline(writer.write(columns, rows(count)), createWriteStream(path))
        const child = `${import.meta.dirname}/../tabular/read-child.ts`
        const limits = JSON.stringify({ maxBytes: 2 ** 30, maxInflatedBytes: 2 ** 30 })
        const { stdout } = await run(process.execPath, ['--conditions=viewset-source', child, path, limits])
        const { rows: read, ...figure } = JSON.parse(stdout)
        expect(read).toBe(count)
        console.log(`${writer.format}: ${count} rows`, figure)
        figures.push(figure)
      })
    }
    const [tenth, whole] = figures
    expect(whole!.megabytes).toBeLessThan(200)
    expect(whole!.seconds).toBeLessThan(tenth!.seconds * 12)
  },
)

test('a sheet ends at 1,048,576 rows and the next one goes on', async () => {
  const count = 1_048_600
  const batches = function* () {
    for (let at = 0; at < count; at += 1000) {
      yield Array.from({ length: Math.min(1000, count - at) }, (_, index): CellRow => [at + index])
    }
  }
  const bytes = await bytesOf(xlsxWriter({ level: 1 }).write(columnsOf('integer'), batches(), { title: 'Numbers' }))
  let next = 0
  for (const [sheet, rowCount] of [
    ['Numbers', 1_048_576],
    ['Numbers (2)', count + 2 - 1_048_576],
  ] as const) {
    let read = 0
    for await (const { values } of streamXlsxRows(bytes, { sheet })) {
      if (read++ === 0) expect(values).toEqual(['integer'])
      else if (values[0] !== next++) expect(values[0]).toBe(next - 1)
    }
    expect(read).toBe(rowCount)
  }
  expect(next).toBe(count)
})
