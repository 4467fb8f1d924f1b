import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { csvWriter } from '../../src/tabular/csv/write.ts'
import { pdfWriter } from '../../src/tabular/pdf/write.ts'
import type { CellRow } from '../../src/tabular/table.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { bytesOf, columnsOf, Source } from './support.ts'

const columns = columnsOf('integer', 'text')
const batchAt = (index: number): CellRow[] =>
  Array.from({ length: 100 }, (_, row) => [index * 100 + row, `${Math.sin(index + row)}`.repeat(10)])

describe.each([csvWriter(), xlsxWriter(), pdfWriter()])('a $format file', writer => {
  test('says what it is', () => {
    expect(writer.extension).toBe(writer.format)
    expect(writer.contentType).toMatch(/^(text|application)\//)
    expect(writer.missingPackages()).toEqual([])
  })

  test('is written without rows', async () => {
    expect((await bytesOf(writer.write(columns, []))).length).toBeGreaterThan(0)
  })

  test('does not read a row before it is read itself', async () => {
    const source = new Source(batchAt)
    const file = writer.write(columns, source)
    await delay(20)
    expect(source.batchesRead).toBe(0)
    file.destroy()
  })

  test('has the error of its rows, and nothing is written before it', async () => {
    const failure = new Error('connection lost')
    const source = new Source(() => failure)
    const chunks: unknown[] = []
    const file = writer.write(columns, source).on('data', chunk => chunks.push(chunk))
    await expect(buffer(file)).rejects.toBe(failure)
    expect(chunks).toEqual([])
  })

  test('never ends when its rows fail half-way', async () => {
    const failure = new Error('connection lost')
    let hasEnded = false
    const file = writer.write(columns, new Source(index => (index < 30 ? batchAt(index) : failure)))
    file.on('end', () => {
      hasEnded = true
    })
    await expect(buffer(file)).rejects.toBe(failure)
    expect(hasEnded).toBe(false)
  })

  test('closes its rows when it is destroyed', async () => {
    const source = new Source(batchAt)
    const file = writer.write(columns, source)
    file.resume()
    await expect.poll(() => source.batchesRead).toBeGreaterThan(2)
    file.destroy()
    await expect.poll(() => source.isClosed).toBe(true)
  })

  test('is destroyed by its signal', async () => {
    const source = new Source(batchAt)
    const controller = new AbortController()
    const file = writer.write(columns, source, { signal: controller.signal })
    const whole = buffer(file)
    await expect.poll(() => source.batchesRead).toBeGreaterThan(2)
    controller.abort()
    await expect(whole).rejects.toThrow('aborted')
    await expect.poll(() => source.isClosed).toBe(true)
  })

  test('refuses more rows than it may have', async () => {
    const source = new Source(index => (index < 2 ? batchAt(index) : undefined))
    await expect(bytesOf(writer.write(columns, source, { maxRows: 199 }))).rejects.toMatchObject({
      code: 'too_many_rows',
      message: 'There are more than 199 rows.',
    })
    expect(source.isClosed).toBe(true)
    await bytesOf(writer.write(columns, [batchAt(0), batchAt(1)], { maxRows: 200 }))
  })
})

test.each([csvWriter(), xlsxWriter()])('a $format file is not made faster than it is read', async writer => {
  const source = new Source(batchAt)
  const file = writer.write(columns, source)
  file.read()
  // How long it takes to fill what lies between is the machine's affair; then nothing more is read.
  let reached = 0
  const rests = () => {
    const before = reached
    reached = source.batchesRead
    return reached > 0 && reached === before
  }
  await expect.poll(rests, { interval: 500 }).toBe(true)
  // A workbook is compressed in large pieces: 97 batches of 100 rows; CSV takes 4.
  expect(reached).toBeLessThan(150)
  file.destroy()
  await expect.poll(() => source.isClosed).toBe(true)
})
