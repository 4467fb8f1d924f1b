import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  findRecords,
  importForeignKey,
  importModel,
  insertMany,
  ManyDataToDataField,
  ManyIdToDataField,
  transaction,
} from 'viewset'
import { expect } from 'vitest'
import type { TestApi, TestResponse } from './api.ts'
import { FullViewSet } from './full-viewset.ts'
import { importForm } from './multipart.ts'

const permissionClasses = [AllowAny]

/** Albums, whose tracks are written with them, whose takes are written with these. Shelves list albums by their ids. */
export function albumTables(c: ColumnKit) {
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

export function albumResources({ shelves, albums, tracks, takes }: Tables, version: 'version' | 'updatedAt') {
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

export const ok = async (answer: Promise<TestResponse>): Promise<TestResponse> => {
  const response = await answer
  expect(response.status, response.text).toBeLessThan(300)
  return response
}

export const importTracks = (api: TestApi, content: string, append = true) =>
  ok(api.request('POST', '/tracks/import-from-file/', importForm(content, { append })))

const track = async ({ api, tables: { tracks } }: World, id: number) => {
  const [found] = await api.database.use(() => findRecords(tracks, eq(tracks.id, id)))
  if (!found) throw new Error('no such track')
  return found
}

/** Each way to write tracks 11 and 12 of album 1, 21 of album 2, the deleted 13, and take 111 of track 11. */
export const WAYS: readonly Way[] = [
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
  ['an import', [2, 3], ({ api }) => importTracks(api, 'name,album\ntwo-one,2\nnew,3\n')],
  ['a replace', [1, 2, 3], ({ api }) => importTracks(api, 'name,album\nnew,3\n', false)],
  ['an import that moves', [1, 3], ({ api }) => importTracks(api, 'name,album\none,3\n')],
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
