import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqliteWriter } from '../../src/store/dialect/sqlite-writer.ts'

const BUSY_TIMEOUT = 5_000

describe('the one connection that writes', () => {
  let writer: SqliteWriter
  beforeEach(() => {
    vi.useFakeTimers()
    const handle = new Database(':memory:')
    writer = new SqliteWriter(new SqliteConnection(handle), BUSY_TIMEOUT, () => new SqliteConnection(handle))
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is closed once its transaction has ended, though that takes longer than the busy timeout', async () => {
    const transaction = await writer.begin()
    const closed = vi.fn()
    const closing = writer.close().then(closed)
    await vi.advanceTimersByTimeAsync(2 * BUSY_TIMEOUT)
    expect(closed).not.toHaveBeenCalled()
    await transaction.commit()
    await closing
  })

  test('is given to the next in line, also where the one before has held it for longer than it waited', async () => {
    const first = await writer.begin()
    const second = writer.begin()
    await vi.advanceTimersByTimeAsync(BUSY_TIMEOUT - 1)
    await first.commit()
    const held = await second
    const third = writer.begin()
    const told = Promise.allSettled([third])
    await vi.advanceTimersByTimeAsync(BUSY_TIMEOUT - 1)
    await held.commit()
    await vi.advanceTimersByTimeAsync(BUSY_TIMEOUT)
    expect(await told).toMatchObject([{ status: 'fulfilled' }])
    await (await third).rollback()
  })
})
