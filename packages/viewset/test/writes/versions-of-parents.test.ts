import { asc } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkViewSet, currentDb, insertMany, ManyDataToDataField } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { albumResources, albumTables, importTracks, ok, WAYS } from '../support/albums.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'

const permissionClasses = [AllowAny]

describeDialects('the version of a parent', dialect => {
  describe.each([
    ['a counter', 'version', false],
    ['a counter, and histories', 'version', true],
    ['a time, and histories', 'updatedAt', true],
  ] as const)('%s', (_, version, hasHistory) => {
    const c = dialect.kit
    const tables = albumTables(c)
    const { shelves, albums, tracks, takes } = tables
    const histories = hasHistory && {
      ...c.HistoryTable(albums),
      ...c.HistoryTable(tracks),
      ...c.HistoryTable(takes),
    }
    const jobTables = c.JobTables()
    const queue = new ManualQueue()
    const api = useApi(dialect, {
      tables: { ...tables, ...histories, ...jobTables },
      resources: albumResources(tables, version),
      jobs: { tables: jobTables, files: new MemoryJobFiles(), queue, adminPermissionClasses: permissionClasses },
    })
    const undo = async (job: string) => {
      const { id } = (await ok(api.post(`/jobs/${job}/undo/`))).data<{ id: string }>()
      await queue.run(id)
    }
    const world = { api, tables }
    beforeEach(() =>
      api.database.use(async () => {
        await insertMany(shelves, [{ id: 1 }, { id: 2 }])
        await insertMany(
          albums,
          [1, 2, 3].map(id => ({ title: `album ${id}`, ...(id === 1 && { shelf: 1 }) })),
        )
        const deleted = { isActive: false, deletedAt: '2026-01-15T10:30:00.000000Z' }
        await insertMany(tracks, [
          { id: 11, album: 1, name: 'one' },
          { id: 12, album: 1, name: 'two' },
          { id: 13, album: 1, name: 'three', ...deleted },
          { id: 21, album: 2, name: 'two-one' },
        ])
        await insertMany(takes, [{ id: 111, track: 11, name: 'first' }])
      }),
    )
    const versions = () =>
      api.database.use(async () => {
        const found = await currentDb()
          .select({ id: albums.id, version: albums[version] })
          .from(albums)
          .orderBy(asc(albums.id))
        return new Map(found.map(row => [row.id, row.version]))
      })
    const movedBy = async (write: () => Promise<unknown>) => {
      const before = await versions()
      await write()
      const after = await versions()
      return [...after].filter(([id, moved]) => moved !== before.get(id)).map(([id]) => id)
    }
    const entriesOfAlbums = async () => (hasHistory ? (await api.rows('albums_history')).length : 0)

    test.each(WAYS)('moves by %s, without an entry in its history', async (_, moved, write) => {
      const entries = await entriesOfAlbums()
      expect(await movedBy(() => write(world))).toEqual(moved)
      expect(await entriesOfAlbums()).toBe(entries)
    })

    test.each(WAYS)('%s makes the album with its tracks no 304 for its reader', async (_, moved, write) => {
      const ids = [1, 2, 3]
      const tags = await Promise.all(ids.map(async id => String((await api.get(`/albums/${id}/`)).headers.etag)))
      const statuses = () =>
        Promise.all(
          ids.map(async (id, at) => {
            const headers = { 'if-none-match': tags[at] ?? '' }
            return (await api.get(`/albums/${id}/`, { headers })).status
          }),
        )
      expect(await statuses()).toEqual([304, 304, 304])
      await write(world)
      expect(await statuses()).toEqual(ids.map(id => (moved.includes(id) ? 200 : 304)))
    })

    test.runIf(hasHistory)('moves by the undo of an import', async () => {
      const answer = await importTracks(api, 'name,album\nnew,3\n')
      expect(await movedBy(() => undo(answer.data<{ job: string }>().job))).toEqual([3])
    })

    test('does not move by a write of a child that is refused', async () => {
      const headers = { 'if-match': '"1"' }
      const refused = async () => {
        expect((await api.patch('/guarded/11/', { name: 'new' }, { headers })).status).toBe(412)
        expect((await api.patch('/tracks/11/', { name: 'two' })).status).toBe(400)
        expect((await api.patch('/tracks/11/', { album: 9 })).status).toBe(400)
        expect((await api.delete('/tracks/99/')).status).toBe(404)
      }
      expect(await movedBy(refused)).toEqual([])
    })

    test('moves for the record above the parent, also if only one of the two has a version', async () => {
      const shelvesMovedBy = async (write: () => Promise<unknown>) => {
        const before = (await api.rows('shelves')).map(String)
        await write()
        const moved = (await api.rows('shelves')).filter(row => !before.includes(String(row)))
        return moved.map(([id]) => Number(id)).toSorted()
      }
      expect(await shelvesMovedBy(() => ok(api.patch('/takes/111/', { name: 'new' })))).toEqual([1])
      expect(await shelvesMovedBy(() => ok(api.patch('/tracks/21/', { name: 'new' })))).toEqual([])
      expect(await shelvesMovedBy(() => ok(api.put('/shelves/2/', { albums: [1] })))).toEqual([1, 2])
    })

    /** Each way to write albums with their tracks. */
    const OWN: readonly (readonly [label: string, write: () => Promise<TestResponse>])[] = [
      ['a POST', () => api.post('/albums/', { title: 'new', tracks: [{ name: 'a', takes: [{ name: 'b' }] }] })],
      [
        'a PUT',
        () => api.put('/albums/1/', { title: 'new', tracks: [{ id: 11, name: 'x', takes: [] }, { name: 'y' }] }),
      ],
      ['a PUT without a list', () => api.put('/albums/1/', { title: 'new', tracks: [] })],
      ['a PATCH', () => api.patch('/albums/1/', { tracks: [{ id: 11, takes: [{ id: 111, name: 'x' }] }] })],
      ['a PATCH whose hook adds a track', () => api.patch('/hooked/1/', { title: 'new' })],
      ['a bulk create', () => api.post('/albums/bulk-create/', [{ title: 'new', tracks: [{ name: 'a', takes: [] }] }])],
      [
        'a bulk update',
        () => api.patch('/albums/bulk-update/', [{ id: 1, tracks: [{ id: 11, name: 'x' }] }, { id: 2 }]),
      ],
      [
        'a bulk update that saves',
        () => api.patch('/saved/bulk-update/', [{ id: 1, tracks: [{ id: 11, name: 'x' }] }]),
      ],
    ]

    test.each(OWN)('moves once by %s of the parent itself, and the answer has the stored tag', async (_, write) => {
      const before = await versions()
      const answer = await ok(write())
      const after = await versions()
      const data = answer.data<{ id: number } | readonly { id: number; _etag: string }[]>()
      const tags = Array.isArray(data)
        ? data.map(({ id, _etag }) => [id, _etag.replaceAll('"', '')])
        : [['id' in data ? data.id : 0, String(answer.headers.etag).slice(1, -1)]]
      expect(tags).toEqual(tags.map(([id]) => [id, String(after.get(Number(id)))]))
      for (const [id, moved] of after) {
        const old = before.get(id)
        if (typeof old === 'bigint' && moved !== old) expect(moved).toBe(old + 1n)
      }
    })

    test('of a child moves if only its own children change in a write of the outermost record', async () => {
      const tracksBefore = await api.get('/guarded/')
      await ok(api.patch('/albums/1/', { tracks: [{ id: 11, takes: [{ id: 111, name: 'x' }] }] }))
      const tags = (answer: TestResponse) =>
        new Map(answer.data<readonly { id: number; _etag: string }[]>().map(({ id, _etag }) => [id, _etag]))
      const [before, after] = [tags(tracksBefore), tags(await api.get('/guarded/'))]
      expect([...after].filter(([id, tag]) => tag !== before.get(id)).map(([id]) => id)).toEqual([11])
    })

    test('costs a write of a child no further statement if the list is written with its parent', async () => {
      const writes = await api.statementsOf(() => ok(api.put('/albums/1/', { title: 'new', tracks: [{ name: 'y' }] })))
      const moves = writes.filter(text => /^update "albums"/.test(text))
      expect(moves.length).toBe(1)
    })

    test.runIf(dialect.name === 'pg')('is locked before the child is written, the outermost first', async () => {
      const statements = await api.statementsOf(() => ok(api.patch('/takes/111/', { name: 'new' })))
      const touched = statements.flatMap(text => /^(?:select 1 from|update) "(\w+)"/.exec(text)?.[1] ?? [])
      expect([...new Set(touched)]).toEqual(['shelves', 'albums', 'tracks', 'takes'])
    })

    test('moves for each of the requests that come at the same time', async () => {
      const others = [22, 23, 24, 25, 26, 27, 28].map(id => ({ id, album: 2, name: `other ${id}` }))
      await api.database.use(() => insertMany(tracks, others))
      const before = await versions()
      const times = Array.from({ length: 8 }, (_, at) => at)
      const writes = times.flatMap(at => [
        api.post('/tracks/', { album: 1, name: `new ${at}` }),
        api.patch('/tracks/11/', { name: `one ${at}` }),
        api.patch('/albums/1/', { tracks: [{ id: 11, takes: [{ id: 111, name: `x ${at}` }] }] }),
        api.patch(`/tracks/${21 + at}/`, { album: 1 }),
      ])
      const statuses = (await Promise.all(writes)).map(({ status }) => status)
      expect(statuses.filter(status => status >= 300)).toEqual([])
      const [old, now] = [before.get(1), (await versions()).get(1)]
      if (typeof old === 'bigint' && typeof now === 'bigint') expect(now - old).toBe(32n)
    })

    test('refuses a list that was read before another client added a child', async () => {
      const read = await api.get('/albums/1/')
      await ok(api.post('/tracks/', { album: 1, name: 'bens' }))
      const headers = { 'if-match': String(read.headers.etag) }
      expect((await api.put('/albums/1/', read.data<object>(), { headers })).status).toBe(412)
      expect((await api.rows('tracks')).length).toBe(5)
    })
  })

  describe('of a tree', () => {
    const c = dialect.kit
    const nodes = c.table('nodes', {
      id: c.uuid().primaryKey(),
      name: c.text(20).notNull(),
      parent: c.foreignKey('self'),
      ...c.VersionMixin(),
    })
    const Child = BaseModelSerializer(nodes, { name: 'Child', fields: ['id', 'name'] })
    const Node = BaseModelSerializer(nodes, {
      fields: ['id', 'name', 'parent'],
      extra: { children: ManyDataToDataField({ queryset: nodes, serializer: Child, ordering: 'id' }) },
    })
    const api = useApi(dialect, {
      tables: { nodes },
      resources: { nodes: BulkViewSet({ model: nodes, serializer: Node, permissionClasses, version: 'version' }) },
    })
    const tag = async (id: number) => String((await api.get(`/nodes/${uuid(id)}/`)).headers.etag)

    test('moves up to the root, once for each record', async () => {
      const family = [0, 1, 2, 1].map((parent, at) => ({
        id: uuid(at + 1),
        name: `node ${at}`,
        parent: parent ? uuid(parent) : null,
      }))
      await api.database.use(() => insertMany(nodes, family))
      const before = await Promise.all([1, 2, 3, 4].map(tag))
      const answer = await ok(
        api.put(`/nodes/${uuid(2)}/`, { name: 'new', parent: uuid(1), children: [{ id: uuid(3), name: 'newer' }] }),
      )
      const after = await Promise.all([1, 2, 3, 4].map(tag))
      const numbers = (tags: readonly string[]) => tags.map(text => Number(text.slice(1, -1)))
      const steps = numbers(after).map((version, at) => version - (numbers(before)[at] ?? 0))
      expect(steps).toEqual([1, 1, 1, 0])
      expect(answer.headers.etag).toBe(after[1])
    })
  })
})
