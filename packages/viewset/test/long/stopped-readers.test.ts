import { statSync } from 'node:fs'
import { AllowAny, BaseModelSerializer, BaseViewSet, insertMany } from 'viewset'
import { kit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { megabytesKept } from '../support/memory.ts'
import { models } from '../support/models.ts'
import { notesTable } from '../support/notes.ts'
import { stopReaders } from '../support/stopped-readers.ts'

const MEGABYTE = 1024 ** 2

describeDialects('500 clients that do not read what they asked for', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const api = useApi(dialect, {
    tables,
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: BaseModelSerializer(authors, {
          fields: ['id', 'name'],
          extra: { filler: () => 'x'.repeat(5_000) },
        }),
        permissionClasses: [AllowAny],
      }),
    },
  })

  test('leave the answers of others, and the memory, as they were, and lose their connections', async () => {
    for (let done = 0; done < 40_000; done += 10_000) {
      const batch = Array.from({ length: 10_000 }, (_, i) => ({ name: `a${done + i}` }))
      await api.database.transaction(() => insertMany(authors, batch))
    }
    await api.get('/authors/')
    const resident = process.memoryUsage.rss()
    const statuses: number[] = []
    let peak = 0
    const kept = await megabytesKept(async () => {
      const readers = await stopReaders(api, 500)
      let closed = 0
      for (const reader of readers) reader.closed.then(() => closed++)
      while (closed < readers.length) {
        statuses.push((await api.get('/authors/')).status, (await api.post('/authors/', { name: 'new' })).status)
        peak = Math.max(peak, process.memoryUsage.rss() - resident)
        // Nobody reads before the server has given them up.
        const connections = await new Promise<number>(resolve => {
          api.server.getConnections((_, count) => resolve(count))
        })
        if (connections === 0) for (const { socket } of readers) socket.resume()
      }
    })
    console.log(`${dialect.name}: ${statuses.length} answers, ${Math.round(peak / MEGABYTE)} MB more at the most`)
    expect(new Set(statuses)).toEqual(new Set([200, 201]))
    expect(peak / MEGABYTE).toBeLessThan(400)
    expect(kept).toBeLessThan(20)
  })
})

test('readers of SQLite who follow each other, each holding on to the last, do not let its log grow for good', async () => {
  const notes = notesTable(kit)
  const { database, url, drop } = await createTestDatabase({ schema: { notes } })
  const text = 'x'.repeat(MEGABYTE)
  const write = async (megabytes: number) => {
    for (let done = 0; done < megabytes; done += 10) {
      await database.transaction(() =>
        insertMany(
          notes,
          Array.from({ length: 10 }, () => ({ text })),
        ),
      )
    }
  }
  const begin = async () => {
    const rows = database.stream({ text: 'select id from notes' }, [], 1)[Symbol.asyncIterator]()
    await rows.next()
    return rows
  }
  try {
    await write(10)
    let last = await begin()
    let largest = 0
    for (let i = 0; i < 12; i++) {
      await write(60)
      const next = begin()
      // Where the log is long, the next one begins when this one has ended.
      const isWaiting =
        (await Promise.race([next, new Promise(resolve => setTimeout(resolve, 500, 'waiting'))])) === 'waiting'
      await last.return?.(undefined)
      last = await next
      largest = Math.max(largest, statSync(`${url}-wal`).size / MEGABYTE)
      if (isWaiting) expect(statSync(`${url}-wal`).size).toBe(0)
    }
    expect(largest).toBeLessThan(330)
    await last.return?.(undefined)
  } finally {
    await drop()
  }
})
