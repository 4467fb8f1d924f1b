import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import {
  AllowAny,
  BaseModelSerializer,
  type ExportOptions,
  ExportService,
  insertMany,
  QuerySet,
  ReadOnlyViewSet,
} from 'viewset'
import { beforeAll, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { models } from '../support/models.ts'

const MEGABYTE = 1024 * 1024
const ROWS = 1_000_000

describeDialects('an export of many rows', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const serializer = BaseModelSerializer(authors, {
    fields: ['id', 'name', 'email', 'createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'isActive', 'deletedAt'],
  })
  const service = new ExportService(serializer)
  const api = useApi(dialect, {
    tables,
    resources: { authors: ReadOnlyViewSet({ model: authors, serializer, permissionClasses: [AllowAny] }) },
  })
  let stored = 0

  /** Stores rows until there are `count`. */
  async function store(count: number): Promise<void> {
    for (; stored < count; stored += 10_000) {
      const batch = Array.from({ length: 10_000 }, (_, i) => ({
        name: `Author ${stored + i}`,
        email: `${stored + i}@x`,
      }))
      await api.database.transaction(() => insertMany(authors, batch))
    }
  }
  beforeAll(() => {
    stored = 0
  })

  /** Exports to a reader that rests after each megabyte. */
  async function measure(options: ExportOptions, rest = 0) {
    let peak = 0
    let unseen = 0
    let rows = 0
    const reader = new Writable({
      async write(chunk: Buffer, _encoding, done) {
        unseen += chunk.length
        if (unseen > MEGABYTE) {
          unseen = 0
          peak = Math.max(peak, process.memoryUsage.rss())
          if (rest > 0) await delay(rest)
        }
        done()
      },
    })
    const onProgress = (count: number) => {
      rows = count
    }
    const file = service.export(QuerySet.of(api.database, authors), { ...options, onProgress })
    const before = process.cpuUsage()
    const held = process.memoryUsage.rss()
    await pipeline(file.stream, reader)
    const { user, system } = process.cpuUsage(before)
    return { rows, seconds: (user + system) / 1e6, megabytes: Math.round(Math.max(0, peak - held) / MEGABYTE) }
  }

  test('takes no more memory for 1,000,000 rows than for 100,000, before a slow reader', async () => {
    await store(100_000)
    await measure({ fileType: 'csv' })
    console.log(`${dialect.name} csv 100,000:`, await measure({ fileType: 'csv' }))
    console.log(`${dialect.name} xlsx 100,000:`, await measure({ fileType: 'xlsx' }))
    await measure({ fileType: 'csv' })
    await store(ROWS)
    const whole = await measure({ fileType: 'csv' }, 2)
    console.log(`${dialect.name} csv 1,000,000:`, whole)
    expect(whole.rows).toBe(ROWS)
    expect(whole.megabytes).toBeLessThan(100)
  })
})
