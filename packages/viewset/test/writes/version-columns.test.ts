import { bigint, integer, pgTable, smallint, text, timestamp } from 'drizzle-orm/pg-core'
import { AllowAny, BaseModelSerializer, BaseViewSet, BulkViewSet, currentDb } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models } from '../support/models.ts'
import { authorSettings, seedAuthors, WRITES } from '../support/write-paths.ts'

describeDialects('the column of a version', dialect => {
  const c = dialect.kit
  describe('a timestamp', () => {
    const tables = models(c)
    const settings = { ...authorSettings(tables), version: 'updatedAt' } as const
    const { importFileConfig } = settings
    const api = useApi(dialect, {
      tables,
      resources: {
        authors: FullViewSet(settings),
        saved: FullViewSet({ ...settings, useSaveOnBulkUpdate: true }),
        chunked: FullViewSet({ ...settings, importFileConfig: { ...importFileConfig, chunkSize: 1 } }),
      },
    })
    beforeEach(() => seedAuthors(api, tables))
    const { authors } = tables
    const times = async () => {
      const rows = await api.database.use(() =>
        currentDb().select({ id: authors.id, time: authors.updatedAt }).from(authors),
      )
      return new Map(rows.map(({ id, ...row }) => [id, row]))
    }
    const setTimes = (time: string) =>
      api.database.transaction(async () => void (await currentDb().update(authors).set({ updatedAt: time })))

    test.each(WRITES)('grows by %s, also if the clock is behind', async (_, status, write) => {
      const ahead = '2099-12-31T23:59:59.999999Z'
      await setTimes(ahead)
      const before = await times()
      expect((await write(api)).status).toBe(status)
      const after = await times()
      const changed = [...after].filter(([id, row]) => before.has(id) && row.time !== ahead)
      expect(changed.map(([, { time }]) => time)).toEqual(changed.map(() => '2100-01-01T00:00:00.000000Z'))
      const hasNew = [...after.keys()].some(id => !before.has(id))
      expect(changed.length > 0 || after.size < before.size || hasNew).toBe(true)
    })

    test('is the time of the write if that is later', async () => {
      await setTimes('2001-01-01T00:00:00.000000Z')
      const { headers } = await api.patch(`/authors/${uuid(1)}/`, { name: 'New' })
      expect(headers.etag).toMatch(/^"20[2-9]\d-.*Z"$/)
    })

    test('is a microsecond after the last one if the clock is behind', async () => {
      await setTimes('2099-12-31T23:59:59.999999Z')
      const one = await api.patch(`/authors/${uuid(1)}/`, { name: 'New' })
      const two = await api.patch(`/authors/${uuid(1)}/`, { name: 'Newer' })
      expect([one.headers.etag, two.headers.etag]).toEqual([
        '"2100-01-01T00:00:00.000000Z"',
        '"2100-01-01T00:00:00.000001Z"',
      ])
    })

    test('is a guard', async () => {
      const path = `/authors/${uuid(1)}/`
      const { etag } = (await api.get(path)).headers
      const send = () => api.patch(path, { name: 'New' }, { headers: { 'if-match': String(etag) } })
      expect([(await send()).status, (await send()).status]).toEqual([200, 412])
      expect((await api.patch(path, { name: 'x', _etag: 'yesterday' })).status).toBe(412)
    })
  })

  describe.each(['integer', 'bigint'] as const)('an %s of a table without the mixin', kind => {
    const counters = c.table('counters', {
      id: c.integer().primaryKey(),
      name: c.text(20).notNull(),
      revision: kind === 'integer' ? c.integer().notNull().default(1) : c.bigint().notNull().default(1n),
    })
    const serializer = BaseModelSerializer(counters, { fields: ['id', 'name', 'revision'], readOnly: ['revision'] })
    const config = { model: counters, serializer, permissionClasses: [AllowAny], version: 'revision' } as const
    const api = useApi(dialect, { tables: { counters }, resources: { counters: BulkViewSet(config) } })

    test('begins with the time of creation, so that a record that is stored again has no old version', async () => {
      const before = Date.now()
      const created = await api.post('/counters/', { id: 5, name: 'a', revision: 7 })
      const version = Number(String(created.headers.etag).replaceAll('"', ''))
      // 32 bits count seconds.
      const unit = kind === 'integer' ? 1_000 : 1
      expect(version).toBeGreaterThanOrEqual(Math.trunc(before / unit))
      expect(created.data()).toMatchObject({ revision: version })
    })

    test('counts each change, and ignores what the client sends', async () => {
      const id = (await api.post('/counters/', { name: 'a' })).data<{ id: number }>().id
      const { revision } = (await api.get(`/counters/${id}/`)).data<{ revision: number }>()
      expect((await api.patch(`/counters/${id}/`, { name: 'b', revision: 3 })).headers.etag).toBe(`"${revision + 1}"`)
      await api.patch('/counters/bulk-update/', [{ id, name: 'c', revision: 3 }])
      expect((await api.get(`/counters/${id}/`)).headers.etag).toBe(`"${revision + 2}"`)
    })
  })

  describe('mistakes', () => {
    const plain = {
      id: c.integer().primaryKey(),
      title: c.text(20).notNull(),
      seen: c.integer(),
      count: c.integer().notNull(),
    }
    const notes = c.table('notes', { ...plain, ...c.VersionMixin() })
    const serializer = BaseModelSerializer(notes, { fields: ['id', 'title', 'version'] })
    const config = { model: notes, serializer, permissionClasses: [AllowAny] } as const
    test.each([
      [{ version: 'versoin' }, 'unknown field "versoin"'],
      [{ version: 'title' }, 'a version is an integer or a timestamp of microseconds'],
      [{ version: 'seen' }, '"seen" may be null'],
      [{ version: 'id' }, 'has another purpose'],
      [{ requireIfMatch: true }, "needs the setting version: 'version'"],
      [{ appendEtags: true }, "needs the setting version: 'version'"],
      [
        { version: 'count', serializer: BaseModelSerializer(notes, { fields: ['id', 'count'] }) },
        'clients may write "count"; add readOnly: [\'count\'] to the serializer',
      ],
    ])('%j is refused at start', (wrong, problem) => {
      expect(() => BaseViewSet({ ...config, ...(wrong as object) })).toThrow(problem)
    })

    test('a column of the mixin is read-only by itself', () => {
      expect(() => BaseViewSet({ ...config, version: 'version' })).not.toThrow()
    })
  })
})

describe('a plain table of PostgreSQL', () => {
  const records = pgTable('records', {
    id: integer().primaryKey(),
    text: text(),
    milliseconds: timestamp({ precision: 3, mode: 'string' }).notNull(),
    dates: timestamp().notNull(),
    small: smallint().notNull(),
    microseconds: timestamp({ mode: 'string' }).notNull(),
    integers: integer().notNull(),
    numbers: bigint({ mode: 'number' }).notNull(),
  })
  const serializer = BaseModelSerializer(records, { fields: ['id', 'text'] })
  const config = { model: records, serializer, permissionClasses: [AllowAny] } as const

  test.each(['milliseconds', 'dates', 'small'] as const)('%s are too coarse for a version', version => {
    expect(() => BaseViewSet({ ...config, version })).toThrow(/microseconds/)
  })

  test.each(['microseconds', 'integers', 'numbers'] as const)('%s can be a version', version => {
    expect(() => BaseViewSet({ ...config, version })).not.toThrow()
  })
})
