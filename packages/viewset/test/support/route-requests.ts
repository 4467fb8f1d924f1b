import { uuid } from './expect.ts'
import { type Form, importForm } from './multipart.ts'

/** A request that succeeds, and the status of its answer. */
export interface RouteRequest {
  readonly body?: unknown
  readonly form?: Form
  readonly status: number
}

const FILE = importForm('name,email\nNew,new@example.org\n')

/**
 * A request for each route of the package, by method and path, over the authors of `seedAuthors`. A new route needs a
 * line here: tests that go through all routes fail without it.
 */
export const ROUTE_REQUESTS: Readonly<Record<string, RouteRequest>> = {
  'GET /': { status: 200 },
  'POST /': { body: { name: 'New' }, status: 201 },
  'GET /:id/': { status: 200 },
  'PUT /:id/': { body: { name: 'Changed' }, status: 200 },
  'PATCH /:id/': { body: { name: 'Changed' }, status: 200 },
  'DELETE /:id/': { status: 204 },
  'POST /:id/restore/': { status: 200 },
  'POST /bulk-create/': { body: [{ name: 'New' }, { name: 'Newer' }], status: 201 },
  'PUT /bulk-update/': { body: [{ id: uuid(1), name: 'Changed' }], status: 200 },
  'PATCH /bulk-update/': { body: [{ id: uuid(1), name: 'Changed' }], status: 200 },
  'DELETE /bulk-delete/': { body: [uuid(1), uuid(9)], status: 200 },
  'POST /bulk-delete/': { body: [uuid(1)], status: 200 },
  'DELETE /bulk-soft-delete/': { body: [uuid(1)], status: 200 },
  'POST /bulk-soft-delete/': { body: [uuid(1)], status: 200 },
  'POST /bulk-restore/': { body: [uuid(3)], status: 200 },
  'POST /bulk-upsert/': { body: [{ name: 'Upserted', email: 'ada@example.org' }], status: 200 },
  'POST /export/': { body: { file_type: 'csv', column_config: { name: { width: 20 } } }, status: 200 },
  'POST /import-from-file/': { form: FILE, status: 201 },
  'POST /import-preview/': { form: FILE, status: 200 },
  'GET /import-template/': { status: 200 },
  'GET /import-mappings/': { status: 200 },
  'POST /import-mappings/': { body: { headers: ['Name', 'Mail'], mapping: { Mail: 'email' } }, status: 201 },
  // There is none.
  'DELETE /import-mappings/:mapping/': { status: 404 },
}
