import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

const tables = models(sqliteDialect.kit)
const { authors } = tables
const BUSY_TIMEOUT = 500

/** Called for the first row, inside the transaction of the import. */
let duringImport: () => Promise<unknown> = async () => {}
let rowsSeen = 0
beforeEach(() => {
  rowsSeen = 0
})

const resources = {
  authors: BulkImportableViewSet({
    model: authors,
    serializer: BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] }),
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
      async prepareRow(row) {
        if (++rowsSeen === 1) await duringImport()
        return row
      },
    },
  }),
} as const
const api = useApi(
  { ...sqliteDialect, open: path => sqlite(path, { busyTimeout: BUSY_TIMEOUT }) },
  { tables, resources },
)
const create = (email: string) => api.post('/authors/', { name: 'New', email })
const dryRun = () =>
  api.request('POST', '/authors/import-from-file/?dry_run=true', importForm('name,email\nAda,a@x\nBob,b@x\n'))

test('SQLite: while a dry run is under way, reads are answered and writes wait for its end', async () => {
  const order: string[] = []
  let write: Promise<unknown> | undefined
  duringImport = async () => {
    write = create('c@x').then(({ status }) => order.push(`written ${status}`))
    order.push(`read ${(await api.get('/authors/')).status}`)
  }
  const answer = await dryRun()
  order.push(`dry run ${answer.status}`)
  await write
  expect(answer.envelope().data).toMatchObject({ created: 2, dry_run: true })
  expect(order[0]).toBe('read 200')
  expect(order.slice(1).toSorted()).toEqual(['dry run 201', 'written 201'])
  expect((await api.get('/authors/')).envelope().data).toMatchObject([{ email: 'c@x' }])
  // It is one transaction, which no second attempt follows.
  expect(rowsSeen).toBe(2)
})

test('SQLite: a write that waits longer than busyTimeout for a dry run is 503', async () => {
  let refused: Awaited<ReturnType<typeof create>> | undefined
  duringImport = async () => {
    refused = await create('c@x')
  }
  expect((await dryRun()).status).toBe(201)
  expect(refused?.status).toBe(503)
  expect(refused?.envelope().message).toBe('The database is busy. Please try again.')
  expect((await create('c@x')).status).toBe(201)
})
