import { AllowAny, importModel } from 'viewset'
import type { TestApi, TestResponse } from './api.ts'
import { uuid } from './expect.ts'
import { FullViewSet } from './full-viewset.ts'
import { type Models, seed } from './models.ts'
import { importForm } from './multipart.ts'
import { serializers } from './serializers.ts'

/** What a way to write asks of an API. */
export type Writer = Pick<TestApi, 'request' | 'post' | 'put' | 'patch' | 'delete'>

/** A resource of authors with every way to write them. */
export function authorSettings(tables: Models) {
  const model = importModel({ model: tables.authors, fields: ['name', 'email'], uniqueFields: ['email'] })
  return {
    model: tables.authors,
    serializer: serializers(tables).AuthorSerializer,
    permissionClasses: [AllowAny],
    upsertFields: ['email'],
    importFileConfig: { fileFormat: 'csv', order: ['authors'], models: { authors: model } },
  } as const
}

/** Authors as {@link authorSettings} describes them; `chunked` imports them a row at a time. */
export function authorResources(tables: Models) {
  const settings = authorSettings(tables)
  return {
    authors: FullViewSet(settings),
    saved: FullViewSet({ ...settings, useSaveOnBulkUpdate: true }),
    chunked: FullViewSet({ ...settings, importFileConfig: { ...settings.importFileConfig, chunkSize: 1 } }),
  }
}

const FILE = 'name,email\nNew,ada@example.org\nNewer,new@example.org\n'

const upload = (api: Writer, resource: string, append: boolean) =>
  api.request('POST', `/${resource}/import-from-file/`, importForm(FILE, { append }))

/** Every way to write, with what it answers where nothing goes wrong, over the authors of {@link seedAuthors}. */
export const WRITES: readonly (readonly [
  label: string,
  status: number,
  write: (api: Writer) => Promise<TestResponse>,
])[] = [
  ['a create', 201, api => api.post('/authors/', { name: 'New' })],
  ['a PUT', 200, api => api.put(`/authors/${uuid(1)}/`, { name: 'New' })],
  ['a PATCH', 200, api => api.patch(`/authors/${uuid(1)}/`, { name: 'New' })],
  ['a DELETE', 204, api => api.delete(`/authors/${uuid(1)}/`)],
  ['a restore', 200, api => api.post(`/authors/${uuid(3)}/restore/`)],
  ['a bulk create', 201, api => api.post('/authors/bulk-create/', [{ name: 'New' }, { name: 'Newer' }])],
  ['a bulk update', 200, api => api.patch('/authors/bulk-update/', [{ id: uuid(1), name: 'New' }])],
  ['a bulk update that saves', 200, api => api.put('/saved/bulk-update/', [{ id: uuid(1), name: 'New' }])],
  ['a bulk upsert', 200, api => api.post('/authors/bulk-upsert/', [{ name: 'New', email: 'ada@example.org' }])],
  ['a bulk delete', 200, api => api.post('/authors/bulk-delete/', [uuid(1), uuid(2)])],
  ['a bulk soft delete', 200, api => api.post('/authors/bulk-soft-delete/', [uuid(1), uuid(2)])],
  ['a bulk restore', 200, api => api.post('/authors/bulk-restore/', [uuid(3)])],
  ['an import', 201, api => upload(api, 'authors', true)],
  ['an import in chunks', 201, api => upload(api, 'chunked', true)],
  ['a replace', 201, api => upload(api, 'authors', false)],
]

export function seedAuthors(api: TestApi, tables: Models): Promise<void> {
  return seed(api.database, tables, {
    authors: [
      { id: uuid(1), name: 'Ada', email: 'ada@example.org' },
      { id: uuid(2), name: 'Bob', email: 'bob@example.org' },
      { id: uuid(3), name: 'Cy', isActive: false, deletedAt: '2026-01-15T10:30:00.000000Z' },
    ],
  })
}

/** The stored rows as text, whatever their order. */
export async function storedAuthors(api: TestApi): Promise<readonly string[]> {
  return (await api.rows('authors')).map(row => row.map(String).join()).toSorted()
}
