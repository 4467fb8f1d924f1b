import { asc, eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  currentDb,
  findRecords,
  importForeignKey,
  importModel,
  insertMany,
  ManyDataToDataField,
  ManyIdToDataField,
  transaction,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestApi, type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const permissionClasses = [AllowAny]

/** Albums, whose tracks are written with them, whose takes are written with these. Shelves list albums by their ids. */
function albumTables(c: ColumnKit) {
  const shelves = c.table('shelves', { id: c.integer().primaryKey(), place: c.text(20), ...c.VersionMixin() })
  const albums = c.table('albums', {
    id: c.integer().primaryKey(),
    title: c.text(20).notNull().unique(),
    shelf: c.foreignKey(shelves),
    ...c.VersionMixin(),
    ...c.TimeStampMixin(),
  })
  const tracks = c.table('tracks', {
    id: c.integer().primaryKey(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    name: c.text(20).notNull().unique(),
    ...c.SoftDeleteMixin(),
    ...c.VersionMixin(),
  })
  const takes = c.table('takes', {
    id: c.integer().primaryKey(),
    track: c.foreignKey(tracks, { onDelete: 'cascade' }).notNull(),
    name: c.text(20).notNull(),
  })
  return { shelves, albums, tracks, takes }
}

type Tables = ReturnType<typeof albumTables>

function resourcesOf({ shelves, albums, tracks, takes }: Tables, version: 'version' | 'updatedAt') {
  const Take = BaseModelSerializer(takes, { fields: ['id', 'name'] })
  const Track = BaseModelSerializer(tracks, {
    name: 'AlbumTrack',
    fields: ['id', 'name'],
    extra: { takes: ManyDataToDataField({ queryset: takes, serializer: Take, ordering: 'id' }) },
  })
  const Album = BaseModelSerializer(albums, {
    fields: ['id', 'title'],
    extra: { tracks: ManyDataToDataField({ queryset: tracks, serializer: Track, ordering: 'id' }) },
  })
  const Shelf = BaseModelSerializer(shelves, {
    fields: ['id', 'place'],
    extra: {
      albums: ManyIdToDataField({
        queryset: albums,
        serializer: BaseModelSerializer(albums, { name: 'ShelfAlbum', fields: ['id', 'title'] }),
        ordering: 'id',
      }),
    },
  })
  const own = { model: albums, serializer: Album, permissionClasses, version, appendEtags: true } as const
  const HookedBase = BulkViewSet(own)
  class Hooked extends HookedBase {
    override async performUpdate(...given: Parameters<InstanceType<typeof HookedBase>['performUpdate']>) {
      const album = await super.performUpdate(...given)
      await insertMany(tracks, [{ album: album.id, name: 'of the hook' }])
      return album
    }
  }
  return {
    shelves: BulkViewSet({ model: shelves, serializer: Shelf, permissionClasses, version: 'version' }),
    albums: BulkImportableViewSet({
      ...own,
      importFileConfig: {
        fileFormat: 'csv',
        order: ['albums', 'tracks'],
        models: {
          albums: importModel({ model: albums, fields: ['title'], uniqueFields: ['title'] }),
          tracks: importModel({
            model: tracks,
            fields: ['name'],
            uniqueFields: ['name'],
            foreignKeys: { album: importForeignKey({ model: albums, lookupField: 'title', sourceField: 'title' }) },
          }),
        },
      },
    }),
    tracks: FullViewSet({
      model: tracks,
      serializer: BaseModelSerializer(tracks, { fields: ['id', 'album', 'name'] }),
      permissionClasses,
      softDelete: true,
      upsertFields: ['name'],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['tracks'],
        models: { tracks: importModel({ model: tracks, fields: ['name', 'album'], uniqueFields: ['name'] }) },
      },
    }),
    hard: BulkViewSet({
      model: tracks,
      serializer: BaseModelSerializer(tracks, { name: 'HardTrack', fields: ['id', 'album', 'name'] }),
      permissionClasses,
    }),
    guarded: BulkViewSet({
      model: tracks,
      serializer: BaseModelSerializer(tracks, { name: 'GuardedTrack', fields: ['id', 'album', 'name'] }),
      permissionClasses,
      version: 'version',
      appendEtags: true,
    }),
    saved: BulkViewSet({ ...own, useSaveOnBulkUpdate: true }),
    hooked: Hooked,
    takes: BulkViewSet({
      model: takes,
      serializer: BaseModelSerializer(takes, { name: 'OwnTake', fields: ['id', 'track', 'name'] }),
      permissionClasses,
    }),
  } as const
}

interface World {
  readonly api: TestApi
  readonly tables: Tables
}

type Way = readonly [label: string, moved: readonly number[], write: (world: World) => Promise<unknown>]

const ok = async (answer: Promise<TestResponse>): Promise<TestResponse> => {
  const response = await answer
  expect(response.status, response.text).toBeLessThan(300)
  return response
}

const file = (api: TestApi, content: string, append = true) =>
  ok(api.request('POST', '/tracks/import-from-file/', importForm(content, { append })))

const track = async ({ api, tables: { tracks } }: World, id: number) => {
  const [found] = await api.database.use(() => findRecords(tracks, eq(tracks.id, id)))
  if (!found) throw new Error('no such track')
  return found
}

/** Each way to write tracks 11 and 12 of album 1, 21 of album 2, the deleted 13, and take 111 of track 11. */
const WAYS: readonly Way[] = [
  ['a create', [1], ({ api }) => ok(api.post('/tracks/', { album: 1, name: 'new' }))],
  ['a PUT', [1], ({ api }) => ok(api.put('/tracks/11/', { album: 1, name: 'new' }))],
  ['a PATCH', [1], ({ api }) => ok(api.patch('/tracks/11/', { name: 'new' }))],
  ['a PATCH to another parent', [1, 2], ({ api }) => ok(api.patch('/tracks/11/', { album: 2 }))],
  ['a DELETE', [1], ({ api }) => ok(api.delete('/hard/11/'))],
  ['a soft delete', [1], ({ api }) => ok(api.delete('/tracks/11/'))],
  ['a restore', [1], ({ api }) => ok(api.post('/tracks/13/restore/'))],
  [
    'a bulk create',
    [1, 2],
    ({ api }) =>
      ok(
        api.post('/tracks/bulk-create/', [
          { album: 2, name: 'a' },
          { album: 1, name: 'b' },
        ]),
      ),
  ],
  ['a bulk update', [1], ({ api }) => ok(api.patch('/tracks/bulk-update/', [{ id: 11, name: 'a' }, { id: 12 }]))],
  ['a bulk move', [1, 2], ({ api }) => ok(api.patch('/tracks/bulk-update/', [{ id: 11, album: 2 }, { id: 21 }]))],
  [
    'a bulk upsert',
    [1, 3],
    ({ api }) =>
      ok(
        api.post('/tracks/bulk-upsert/', [
          { album: 1, name: 'one' },
          { album: 3, name: 'b' },
        ]),
      ),
  ],
  ['a bulk delete', [1, 2], ({ api }) => ok(api.post('/hard/bulk-delete/', [21, 11]))],
  ['a bulk soft delete', [1, 2], ({ api }) => ok(api.post('/tracks/bulk-soft-delete/', [21, 11]))],
  ['a bulk restore', [1], ({ api }) => ok(api.post('/tracks/bulk-restore/', [13]))],
  ['an import', [2, 3], ({ api }) => file(api, 'name,album\ntwo-one,2\nnew,3\n')],
  ['a replace', [1, 2, 3], ({ api }) => file(api, 'name,album\nnew,3\n', false)],
  ['an import that moves', [1, 3], ({ api }) => file(api, 'name,album\none,3\n')],
  ['a take', [1], ({ api }) => ok(api.post('/takes/', { track: 11, name: 'new' }))],
  ['a change of a take', [1], ({ api }) => ok(api.patch('/takes/111/', { name: 'new' }))],
  ['a take that moves', [1, 2], ({ api }) => ok(api.patch('/takes/111/', { track: 21 }))],
  ['a deleted take', [1], ({ api }) => ok(api.delete('/takes/111/'))],
  [
    'insertMany',
    [3],
    ({ api, tables: { tracks } }) => api.database.use(() => insertMany(tracks, [{ album: 3, name: 'new' }])),
  ],
  [
    'createRecord',
    [3],
    ({ api, tables: { tracks } }) => api.database.use(() => createRecord(tracks, { album: 3, name: 'new' })),
  ],
  [
    'a record that is saved',
    [1, 3],
    async world => {
      const one = await track(world, 11)
      one.album = 3
      await one.save()
    },
  ],
  ['a record that is deleted', [1], async world => (await track(world, 11)).delete()],
  [
    'a savepoint after one that failed',
    [3],
    async ({ api, tables: { tracks } }) => {
      const add = (name: string) => transaction(() => insertMany(tracks, [{ album: 3, name }]))
      await api.database.transaction(async () => {
        await add('one').catch(() => {})
        const failing = transaction(async () => {
          await add('a')
          throw new Error('stop')
        })
        await failing.catch(() => {})
        await add('b')
      })
    },
  ],
]

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
      resources: resourcesOf(tables, version),
      jobs: { tables: jobTables, files: new MemoryJobFiles(), queue, adminPermissionClasses: permissionClasses },
    })
    const undo = async (job: string) => {
      const { id } = (await ok(api.post(`/jobs/${job}/undo/`))).data<{ id: string }>()
      await queue.run(id)
    }
    const world: World = { api, tables }
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

    test.runIf(hasHistory)('moves by the undo of an import', async () => {
      const answer = await file(api, 'name,album\nnew,3\n')
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
