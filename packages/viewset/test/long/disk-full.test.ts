import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AllowAny, BaseModelSerializer, BulkViewSet, type ColumnKit } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { TestApi, type TestResponse } from '../support/api.ts'
import { pgDialect, sqliteDialect, type TestDialect } from '../support/dialects.ts'
import { startPostgresServer } from '../support/postgres-server.ts'

const MEGABYTE = 1024 * 1024
const ITEMS = 100
/** Text that cannot be packed. */
const noise = randomBytes(5_000).toString('base64')

/** A disk of its own that is soon full. Only an administrator may make one. */
async function withSmallDisk(megabytes: number, fn: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-small-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder])
  try {
    await fn(folder)
  } finally {
    execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  }
}

function notesTable(c: ColumnKit) {
  return c.table('notes', { ...c.BaseModelMixin(), batch: c.integer().notNull(), text: c.text().notNull() })
}

/** Four clients write until nothing is stored any more; all that was answered with 201 is stored, and all or nothing. */
async function fillUp(dialect: TestDialect, parkTakenValues: () => Promise<void>): Promise<void> {
  const notes = notesTable(dialect.kit)
  const api = await TestApi.start(dialect, {
    tables: { notes },
    resources: {
      notes: BulkViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'batch', 'text'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  try {
    let batches = 0
    const acknowledged = new Set<number>()
    const uncertain = new Set<number>()
    const write = async (): Promise<TestResponse> => {
      const batch = batches++
      const items = Array.from({ length: ITEMS }, (_, i) => ({ batch, text: noise.slice(i, i + 5_000) }))
      const response = await api.post('/notes/bulk-create/', items)
      expect([201, 503], response.text).toContain(response.status)
      expect(response.envelope().success).toBe(response.status === 201)
      if (response.status === 201) acknowledged.add(batch)
      else expect(response.headers['retry-after']).toMatch(/^\d+$/)
      if (response.text.includes('the outcome is not known')) uncertain.add(batch)
      return response
    }
    const client = async () => {
      for (let refused = 0; refused < 10; ) if ((await write()).status === 503) refused++
    }
    await Promise.all([client(), client(), client(), client()])
    expect(acknowledged.size).toBeGreaterThan(0)

    await parkTakenValues()
    await expect.poll(async () => (await write()).status).toBe(201)
    const rows = await api.rows('notes')
    const batchOf = (row: readonly unknown[]) => Number(row[7])
    const stored = Map.groupBy(rows, batchOf)
    for (const [batch, { length }] of stored) expect(length, `batch ${batch}`).toBe(ITEMS)
    const missing = [...acknowledged].filter(batch => !stored.has(batch))
    const unasked = [...stored.keys()].filter(batch => !acknowledged.has(batch) && !uncertain.has(batch))
    expect({ missing, unasked }).toEqual({ missing: [], unasked: [] })
    console.log(`${dialect.name}: ${batches} batches, ${acknowledged.size} stored, ${uncertain.size} uncertain`)
  } finally {
    await api.close()
  }
}

test('pg: nothing is lost or half-written on a full disk, and it works again with room', () =>
  withSmallDisk(160, async folder => {
    const ballast = join(folder, 'ballast')
    await writeFile(ballast, Buffer.alloc(40 * MEGABYTE))
    // A server that finds no room for its log ends, so what it has acknowledged must be in the log.
    const settings = { synchronous_commit: 'on', max_wal_size: '64MB', min_wal_size: '32MB' }
    const server = await startPostgresServer({ parent: folder, settings })
    try {
      await fillUp({ ...pgDialect, server: { postgres: server.url } }, async () => {
        await rm(ballast)
        await server.restart()
      })
    } finally {
      await server.stop()
    }
  }))

test('sqlite: nothing is lost or half-written on a full disk, and it works again with room', () =>
  withSmallDisk(30, async folder => {
    const ballast = join(folder, 'ballast')
    await writeFile(ballast, Buffer.alloc(10 * MEGABYTE))
    const before = process.env.TMPDIR
    process.env.TMPDIR = folder
    try {
      await fillUp({ ...sqliteDialect, open: path => sqlite(path) }, () => rm(ballast))
    } finally {
      if (before === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = before
    }
  }))
