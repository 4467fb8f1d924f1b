import { AllowAny, BulkImportableViewSet, importModel } from 'viewset'
import type { UploadProgress } from 'viewset/client'
import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { useClient } from '../support/client.ts'
import { openClientPage } from '../support/client-page.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(sqliteDialect.kit)
const { authors } = tables
const resources = {
  authors: BulkImportableViewSet({
    model: authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name'], uniqueFields: ['name'] }) },
    },
  }),
}
const listening = useClient(sqliteDialect, { tables, resources })
const browser = useBrowser()
const openPage = () => openClientPage(browser, new URL(listening.baseUrl).origin)
type Resources = typeof resources

test('a browser creates, pages through, changes and exports by an address without a host', async () => {
  const module = await openPage()
  const seen = await module.evaluate(async ({ createClient }) => {
    const client = createClient<Resources>({ baseUrl: '/api' }).authors
    await client.bulkCreate(['Ada', 'Bob', 'Cleo'].map(name => ({ name })))
    const names: string[] = []
    for await (const { name } of client.all({ ordering: 'name', page_size: 2 })) names.push(name)
    const { items } = await client.list({ ordering: '-name', page_size: 1 })
    const changed = await client.partialUpdate(items[0]?.id ?? '', { name: 'Cleopatra' })
    const file = await client.export({ file_type: 'csv', includes: ['name'] }, { ordering: 'name' })
    return [names, changed.name, file.filename.replace(/_.*/, ''), await file.text()]
  })
  expect(seen).toEqual([['Ada', 'Bob', 'Cleo'], 'Cleopatra', 'authors', 'Name\r\nAda\r\nBob\r\nCleopatra\r\n'])
})

test('a browser tells how much of a file is sent, and what came of it', async () => {
  await seed(listening.api.database, tables, { authors: [{ name: 'Ada' }] })
  const module = await openPage()
  const { result, told, size } = await module.evaluate(async ({ createClient }) => {
    const client = createClient<Resources>({ baseUrl: '/api' }).authors
    const rows = ['name', 'Ada', 'x'.repeat(21), ...Array.from({ length: 20_000 }, (_, n) => `Author ${n}`)]
    const file = new File([rows.join('\n')], 'people.csv')
    const progress: UploadProgress[] = []
    const done = await client.importFile(file, { append_data: true, onProgress: step => progress.push(step) })
    return { result: done, told: progress, size: file.size }
  })
  expect(result).toMatchObject({ success: false, processed: 20_002, created: 20_000, updated: 1, failed: 1 })
  const { loaded = 0, total = 0 } = told.at(-1) ?? {}
  expect([loaded, total > size]).toEqual([total, true])
})

test('a browser is told by one error what was refused, what was aborted and who is not there', async () => {
  const module = await openPage()
  const told = await module.evaluate(async ({ createClient }) => {
    const client = createClient<Resources>({ baseUrl: '/api' }).authors
    const file = new File(['name\nAda\n'], 'people.csv')
    const onProgress = () => {}
    const calls = [
      client.importFile(new File([''], 'empty.csv'), { append_data: true, onProgress }),
      client.importFile(file, { append_data: true, onProgress, signal: AbortSignal.abort('before') }),
      client.list({}, { signal: AbortSignal.abort('too late') }),
      createClient<Resources>({ baseUrl: 'http://127.0.0.1:1/api' }).authors.importFile(file, {
        append_data: true,
        onProgress,
      }),
    ]
    const errors = await Promise.all(calls.map(call => call.then(String, error => error)))
    return errors.map(({ name, status, message, cause }) => [name, status, message, String(cause)])
  })
  // Chromium logs what it was refused; this page means it.
  browser.problems.splice(0)
  expect(told).toEqual([
    ['ClientError', 400, expect.any(String), 'undefined'],
    ['ClientError', 0, 'POST /api/authors/import-from-file/ was aborted.', 'before'],
    ['ClientError', 0, 'GET /api/authors/ was aborted.', 'too late'],
    [
      'ClientError',
      0,
      expect.stringContaining('got no answer: The connection failed.'),
      expect.stringContaining('TypeError'),
    ],
  ])
})

test('a browser says what it was answered with while it sent a file, also where it may read no header', async () => {
  const newPage = async () => {
    const page = await browser.newPage()
    await page.route('**/proxied/**', route => route.fulfill({ status: 413, headers: {} }))
    return page
  }
  const module = await openClientPage({ newPage }, new URL(listening.baseUrl).origin)
  const message = await module.evaluate(async ({ createClient }) => {
    const client = createClient<Resources>({ baseUrl: '/proxied' }).authors
    const file = new File(['name\nAda\n'], 'people.csv')
    const importing = client.importFile(file, { append_data: true, onProgress: () => {} })
    return importing.then(String, error => error.message)
  })
  // Chromium logs that as well.
  browser.problems.splice(0)
  expect(message).toContain('this is no answer of the API, but 413')
})
