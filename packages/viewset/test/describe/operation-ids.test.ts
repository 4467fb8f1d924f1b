import SqliteDatabase from 'better-sqlite3'
import Fastify from 'fastify'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkCreateViewSet,
  BulkDeleteViewSet,
  BulkImportableViewSet,
  BulkOnlyViewSet,
  BulkUpdateViewSet,
  BulkViewSet,
  CreateListViewSet,
  defineKind,
  ImportableViewSet,
  importModel,
  type OpenApiDocument,
  ReadOnlyViewSet,
} from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { kit, sqlite } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { TouchModelMixin } from '../support/touch-model-mixin.ts'

const notes = kit.table('notes', { ...kit.BaseModelMixin(), text: kit.text(20).notNull() })
const config = {
  model: notes,
  serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
  permissionClasses: [AllowAny],
} as const
const importFileConfig = {
  fileFormat: 'csv',
  order: ['notes'],
  models: { notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'] }) },
} as const

async function registered(resourcesByName: ResourcesOptions['resources']) {
  const app = Fastify(serverOptions)
  await app.register(resources, {
    database: sqlite(new SqliteDatabase(':memory:')),
    resources: resourcesByName,
    openapi: true,
  })
  return async (): Promise<OpenApiDocument> => (await app.inject('/openapi.json')).json()
}

async function idsOf(resource: ResourcesOptions['resources'][string]): Promise<string> {
  const { paths } = await (await registered({ notes: resource }))()
  const operations = Object.entries(paths).flatMap(([path, methods]) => (path === '/' ? [] : Object.values(methods)))
  return operations.map(({ operationId }) => String(operationId).replace(/^notes/, '')).join(' ')
}

const SINGLE = 'Create List Retrieve Update PartialUpdate Destroy Export'
const BULK = 'BulkCreate BulkUpdate BulkPartialUpdate BulkDelete BulkDeleteByPost'
const SOFT_DELETE = 'BulkSoftDelete BulkSoftDeleteByPost'
const IMPORT = 'ImportFile ImportPreview ImportTemplate'

// Clients are generated from these names: another name breaks them.
test.each([
  ['BaseViewSet', BaseViewSet(config), SINGLE],
  ['ReadOnlyViewSet', ReadOnlyViewSet(config), 'List Retrieve Export'],
  ['CreateListViewSet', CreateListViewSet(config), 'Create List Export'],
  ['BulkCreateViewSet', BulkCreateViewSet(config), 'BulkCreate'],
  ['BulkUpdateViewSet', BulkUpdateViewSet(config), 'BulkUpdate BulkPartialUpdate'],
  ['BulkDeleteViewSet', BulkDeleteViewSet(config), 'BulkDelete BulkDeleteByPost'],
  ['BulkViewSet', BulkViewSet(config), `${SINGLE} ${BULK} ${SOFT_DELETE}`],
  ['BulkOnlyViewSet', BulkOnlyViewSet(config), BULK],
  ['ImportableViewSet', ImportableViewSet({ ...config, importFileConfig }), `${SINGLE} ${IMPORT}`],
  [
    'BulkImportableViewSet',
    BulkImportableViewSet({ ...config, importFileConfig }),
    `${SINGLE} ${BULK} ${SOFT_DELETE} ${IMPORT}`,
  ],
])('the operations of a %s have the names that they always had', async (_, resource, ids) => {
  expect(await idsOf(resource)).toBe(ids)
})

test("a route of somebody else's mixin that says nothing of itself is there, with what all routes have", async () => {
  const { paths } = await (await registered({ notes: BaseViewSet.add(TouchModelMixin)(config) }))()
  const { operationId, summary, responses } = paths['/notes/{id}/touch/']?.post ?? {}
  expect({ operationId, summary, statuses: Object.keys(responses as object) }).toEqual({
    operationId: 'notesTouch',
    summary: 'Touch a note',
    statuses: ['202', '400', '404', '408', '409', '413', '415', '500', '503'],
  })
})

test('no schema is made before somebody asks for the document, and each but once', async () => {
  let made = 0
  const jsonSchema = {
    get format() {
      made += 1
      return 'counted'
    },
  }
  const counted = defineKind('counted', { column: c => c.text(20), jsonSchema })
  const things = kit.table('things', { id: kit.integer().primaryKey(), value: kit.kind(counted) })
  const serializer = BaseModelSerializer(things, { fields: ['id', 'value'] })
  const thingConfig = { model: things, serializer, permissionClasses: [AllowAny] }
  const document = await registered({ things: BaseViewSet(thingConfig), others: ReadOnlyViewSet(thingConfig) })
  expect(made).toBe(0)
  await document()
  expect(made).toBeGreaterThan(0)
  const first = made
  await document()
  expect(made).toBe(first)
})
