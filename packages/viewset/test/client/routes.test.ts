import { AllowAny, importModel } from 'viewset'
import { expect, test } from 'vitest'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'
import { TouchModelMixin } from '../support/touch-model-mixin.ts'

/** Aliases of POST, for clients whose proxies keep the body of a DELETE. */
const ALIASES = ['DELETE /bulk-delete/', 'DELETE /bulk-soft-delete/']

describeOneDialect('a client calls', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const config = {
    model: authors,
    serializer: serializers(tables).AuthorSerializer,
    permissionClasses: [AllowAny],
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  } as const
  const Full = FullViewSet.add(TouchModelMixin)
  const resources = {
    authors: Full(config),
    quiet: Full({ ...config, returnDataOnCreate: false, returnDataOnUpdate: false, destroyStatus: 200 }),
  }
  const listening = useClient(dialect, { tables, resources })
  const ada = { id: uuid(1), name: 'Ada', email: null }
  const bob = { id: uuid(2), name: 'Bob', email: 'bob@example.org' }
  const csv = new Blob(['name,email\nCleo,cleo@example.org\n'])
  const report = (count: number, ...missing_ids: string[]) => ({
    requested_count: count + missing_ids.length,
    count,
    missing_ids,
  })

  test('every route of a resource, each with its own result', async () => {
    const { api, asked } = listening
    await seed(api.database, tables, { authors: [ada, bob] })
    const { authors: client, $request } = listening.client()
    expect(await client.list({ ordering: 'name' })).toEqual({
      items: [
        { ...ada, index: 1 },
        { ...bob, index: 2 },
      ],
      count: 2,
      next: null,
      previous: null,
    })
    expect(await client.retrieve(uuid(1))).toEqual(ada)
    const cleo = await client.create({ name: 'Cleo', email: null })
    expect(cleo).toEqual({ id: cleo.id, name: 'Cleo', email: null })
    expect(await client.update(uuid(1), { name: 'Ada L.' })).toEqual({ ...ada, name: 'Ada L.' })
    expect(await client.partialUpdate(uuid(1), { email: 'ada@example.org' })).toEqual({
      id: uuid(1),
      name: 'Ada L.',
      email: 'ada@example.org',
    })
    expect(await client.destroy(cleo.id)).toBeUndefined()
    const [dora] = await client.bulkCreate([{ name: 'Dora' }])
    expect(dora).toEqual({ id: dora?.id, name: 'Dora', email: null })
    expect(await client.bulkUpdate([{ id: uuid(2), name: 'Bo' }])).toEqual([{ ...bob, name: 'Bo' }])
    expect(await client.bulkPartialUpdate([{ id: uuid(2), email: null }])).toEqual([
      { id: uuid(2), name: 'Bo', email: null },
    ])
    expect(
      await client.bulkUpsert([
        { name: 'Ada', email: 'ada@example.org' },
        { name: 'Eve', email: 'eve@example.org' },
      ]),
    ).toEqual({ created: 1, updated: 1 })
    expect(await client.bulkSoftDelete([uuid(1), uuid(9)])).toEqual(report(1, uuid(9)))
    expect(await client.bulkRestore([uuid(1)])).toEqual(report(1))
    await client.bulkSoftDelete([uuid(1)])
    expect(await client.restore(uuid(1))).toEqual({ id: uuid(1), name: 'Ada', email: 'ada@example.org' })
    expect(await client.bulkDelete([String(dora?.id)])).toEqual(report(1))
    const { sheets } = await client.importPreview(csv, { mapping: { email: 'email' } })
    expect(sheets[0]?.headers).toEqual([
      { header: 'name', field: 'name', reason: 'exact' },
      { header: 'email', field: 'email', reason: 'mapping' },
    ])
    expect(await client.importFile(csv, { append_data: true, mapping: { name: 'name' } })).toEqual({
      success: true,
      processed: 1,
      failed: 0,
      errors: [],
      created: 1,
      updated: 0,
      ignored_columns: [],
    })
    const file = await client.export({ file_type: 'csv', includes: ['name'] }, { ordering: 'name' })
    expect([file.type, file.warnings, await file.text()]).toEqual([
      'text/csv; charset=utf-8',
      '',
      'Name\r\nAda\r\nBo\r\nCleo\r\nEve\r\n',
    ])
    const template = await client.importTemplate({ file_type: 'csv' })
    expect([template.filename, (await template.text()).split('\r\n')[0]]).toEqual([
      'authors_template.csv',
      'name,email',
    ])
    // A mixin of somebody else's has routes that no type of the client knows.
    const touched = await $request<string>('POST', `/authors/${uuid(1)}/touch/`)
    expect([touched.status, touched.data, touched.envelope?.success]).toEqual([202, 'touched', true])

    // Its path stands behind the prefix, however it begins: no other host can be made of it.
    await expect($request('GET', 'authors/')).resolves.toMatchObject({ status: 200 })

    const called = new Set(
      asked.map(line => line.replace(/\?.*/, '').replace(/\/authors\/[0-9a-f-]{36}\//, '/authors/:id/')),
    )
    const routes = endpointsOf('authors', resources.authors as unknown as AnyResourceClass)
    const missed = routes.map(({ method, path }) => `${method} ${path}`).filter(route => !called.has(route))
    expect(missed).toEqual(ALIASES.map(route => route.replace(' ', ' /authors')))
  })

  test('routes that are set to answer less', async () => {
    await seed(listening.api.database, tables, { authors: [ada] })
    const { quiet } = listening.client()
    expect(await quiet.create({ name: 'Bob' })).toEqual({})
    expect(await quiet.update(uuid(1), { name: 'A.' })).toEqual({})
    expect(await quiet.partialUpdate(uuid(1), { name: 'A.' })).toEqual({})
    expect(await quiet.bulkCreate([{ name: 'Cleo' }])).toEqual({ count: 1 })
    expect(await quiet.bulkUpdate([{ id: uuid(1), name: 'A.' }])).toEqual({ count: 1 })
    expect(await quiet.destroy(uuid(1))).toBeUndefined()
  })
})
