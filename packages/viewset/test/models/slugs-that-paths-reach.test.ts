import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkImportableViewSet,
  BulkUpsertModelMixin,
  type ColumnKit,
  createRecord,
  importModel,
  type User,
  ValidationError,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

const ENDING = /^[0-9a-z]{6}$/

function tablesOf(c: ColumnKit) {
  const pages = c.table(
    'pages',
    { id: c.integer().primaryKey(), ...c.SlugMixin({ from: 'name' }), name: c.text(30).notNull().unique() },
    t => [c.unique(t.slug)],
  )
  const posts = c.table(
    'posts',
    { id: c.integer().primaryKey(), ...c.SlugMixin({ from: 'name', ifTaken: 'extend' }), name: c.text(30).notNull() },
    t => [c.unique(t.slug)],
  )
  const notes = c.table(
    'notes',
    {
      id: c.integer().primaryKey(),
      ...c.SlugMixin({ from: 'name', ifTaken: 'extend' }),
      firm: c.text(10).notNull(),
      name: c.text(30).notNull(),
    },
    t => [c.unique(t.firm, t.slug)],
  )
  return { pages, posts, notes }
}

describeDialects('a slug in paths', dialect => {
  const tables = tablesOf(dialect.kit)
  const { pages, posts, notes } = tables
  const { importMappings } = dialect.kit.ImportMappingTable()
  const file = (...rows: string[]) => {
    const form = new FormData()
    form.set('file', new Blob([`name,slug\n${rows.join('\n')}\n`]), 'file.csv')
    form.set('append_data', 'true')
    return form
  }
  const ProjectViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin)
  const actions = {
    drafts: { method: 'GET', detail: false, handler: async () => ({ from: 'drafts' }) },
    tidy: { method: 'POST', detail: false, path: 'tidy-up/now', handler: async () => ({}) },
    shout: { method: 'GET', detail: true, handler: async () => ({}) },
  } as const
  const fields = ['id', 'name', 'slug'] as const
  const Page = BaseModelSerializer(pages, { fields })
  const pageConfig = {
    model: pages,
    permissionClasses: [AllowAny],
    tenant: false,
    upsertFields: ['name'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['pages'],
      models: { pages: importModel({ model: pages, fields: ['name', 'slug'], uniqueFields: ['name'] }) },
    },
  } as const
  const tenant = { column: 'firm', of: ({ user }: { readonly user: User | null }) => user?.roles?.[0] }
  const api = useApi(dialect, {
    tables: { ...tables, importMappings },
    users: { north: { id: 'n', roles: ['north'] }, south: { id: 's', roles: ['south'] } },
    openapi: true,
    importMappings: { table: importMappings },
    resources: {
      pages: ProjectViewSet({ ...pageConfig, serializer: Page, lookupField: 'slug', actions }),
      names: ProjectViewSet({
        ...pageConfig,
        serializer: BaseModelSerializer(pages, { name: 'Names', fields, readOnly: ['slug'] }),
      }),
      'posts/archive': BaseViewSet({
        model: pages,
        serializer: Page,
        permissionClasses: [AllowAny],
        tenant: false,
      }),
      checked: BaseViewSet({
        model: posts,
        serializer: BaseModelSerializer(posts, { name: 'Checked', fields, validate: () => undefined }),
        permissionClasses: [AllowAny],
        tenant: false,
      }),
      posts: ProjectViewSet({
        model: posts,
        serializer: BaseModelSerializer(posts, { fields }),
        permissionClasses: [AllowAny],
        tenant: false,
        lookupField: 'slug',
        upsertFields: ['slug'],
        actions,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['posts'],
          models: {
            posts: importModel({
              model: posts,
              fields: ['name', 'slug'],
              uniqueFields: ['name'],
              matchWithoutIndex: true,
            }),
          },
        },
      }),
      notes: ProjectViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields }),
        permissionClasses: [AllowAny],
        tenant,
        lookupField: 'slug',
        upsertFields: ['firm', 'slug'],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['notes'],
          models: {
            notes: importModel({
              model: notes,
              fields: ['name', 'slug'],
              uniqueFields: ['firm', 'name'],
              matchWithoutIndex: true,
            }),
          },
        },
      }),
    },
  })
  const slugsOf = async (resource: string, as?: string) => {
    const list = await api.get(`/${resource}/?ordering=id`, as === undefined ? {} : { as })
    return list.data<{ slug: string }[]>().map(({ slug }) => slug)
  }

  describe('a text without a letter or a digit', () => {
    const problem = 'This text has no letter or digit for the slug. Send a slug, or change the text.'

    test('makes no slug, and the error says to send one', async () => {
      const single = await api.post('/pages/', { name: '!!!' })
      expect([single.status, single.envelope().errors]).toEqual([400, { name: [problem] }])
      const bulk = await api.post('/pages/bulk-create/', [{ name: 'One' }, { name: '??' }])
      expect([bulk.status, bulk.envelope().errors]).toEqual([400, { '1.name': [problem] }])
      const upserted = await api.post('/pages/bulk-upsert/', [{ name: '??' }])
      expect([upserted.status, upserted.envelope().errors]).toEqual([400, { '0.name': [problem] }])
      const imported = await api.post('/pages/import-from-file/', file('Fine,', '??,', '!,sent'))
      expect(imported.data()).toMatchObject({
        created: 2,
        failed: 1,
        errors: [{ row: 3, field: 'name', message: 'This text has no letter or digit for the slug. Change the text.' }],
      })
      expect((await api.post('/pages/', { name: '---', slug: 'dashes' })).status).toBe(201)
      expect(await slugsOf('pages')).toEqual(['fine', 'sent', 'dashes'])
    })

    test('gets another sentence if the client cannot send a slug', async () => {
      const refused = await api.post('/names/', { name: '!!!' })
      expect(refused.envelope().errors).toEqual({
        name: ['This text has no letter or digit for the slug. Change the text.'],
      })
    })

    test('is an error of code that stores it', async () => {
      await expect(api.database.transaction(() => createRecord(pages, { name: '!!!' }))).rejects.toThrow(
        ValidationError,
      )
    })

    test('with ifTaken, the slug is an ending alone', async () => {
      const single = await api.post('/posts/', { name: '!!!' })
      const { slug } = single.data<{ slug: string }>()
      expect([single.status, slug]).toEqual([201, expect.stringMatching(ENDING)])
      expect((await api.get(`/posts/${slug}/`)).status).toBe(200)
      await api.post('/posts/bulk-create/', [{ name: '!!!' }, { name: '???' }])
      await api.post('/posts/import-from-file/', file('...,', '---,'))
      await api.database.transaction(() => createRecord(posts, { name: '!!!' }))
      const slugs = await slugsOf('posts')
      expect(slugs).toEqual(Array.from({ length: 6 }, () => expect.stringMatching(ENDING)))
      expect(new Set(slugs).size).toBe(6)
    })
  })

  describe('a fixed part of the paths of a resource', () => {
    const fixedParts = async (resource: string) => {
      const { paths } = JSON.parse((await api.get('/openapi.json')).text) as { paths: object }
      const parts = Object.keys(paths).flatMap(path => {
        const [first, second] = path.split('/').filter(Boolean)
        return first === resource && second !== undefined && !second.startsWith('{') ? [second] : []
      })
      return [...new Set(parts)]
    }

    test('is no slug of a new record', async () => {
      const parts = await fixedParts('pages')
      expect(parts).toEqual(expect.arrayContaining(['bulk-create', 'export', 'import-mappings', 'drafts', 'tidy-up']))
      for (const part of parts) {
        const name = part.replaceAll('-', ' ')
        const problem = `This text makes the slug "${part}", which is a part of other addresses of the API.`
        const single = await api.post('/pages/', { name })
        const sendAnother = `${problem} Send another slug, or change the text.`
        expect([single.status, single.envelope().errors], part).toEqual([400, { name: [sendAnother] }])
        const bulk = await api.post('/pages/bulk-create/', [{ name: 'Fine' }, { name }])
        expect(bulk.envelope().errors, part).toEqual({ '1.name': [sendAnother] })
        const imported = await api.post('/pages/import-from-file/', file(`${name},`))
        expect(imported.data(), part).toMatchObject({
          failed: 1,
          errors: [{ field: 'name', message: `${problem} Change the text.` }],
        })
      }
      expect(await slugsOf('pages')).toEqual([])
    })

    test('counts as taken with ifTaken', async () => {
      const parts = await fixedParts('posts')
      expect(parts).toContain('archive')
      for (const part of parts) {
        const name = part.replaceAll('-', ' ')
        const { slug } = (await api.post('/posts/', { name })).data<{ slug: string }>()
        expect(slug).toMatch(new RegExp(`^${part}-[0-9a-z]{6}$`))
        expect((await api.get(`/posts/${slug}/`)).data()).toMatchObject({ name })
      }
      await api.post('/posts/bulk-create/', [{ name: 'Export' }, { name: 'EXPORT' }])
      await api.post('/posts/import-from-file/', file('export!,'))
      await api.database.transaction(() => createRecord(posts, { name: 'export?' }))
      const slugs = await slugsOf('posts')
      expect(slugs).toHaveLength(parts.length + 4)
      expect(slugs.filter(slug => parts.includes(slug))).toEqual([])
    })

    test.each(['pages', 'posts'])('cannot be sent as the slug of /%s/', async resource => {
      const problem = '"export" is a part of other addresses of the API. Choose another value.'
      const url = `/${resource}/`
      const single = await api.post(url, { name: 'A', slug: 'export' })
      expect([single.status, single.envelope().errors]).toEqual([400, { slug: [problem] }])
      const bulk = await api.post(`${url}bulk-create/`, [{ name: 'A', slug: 'export' }])
      expect([bulk.status, bulk.envelope().errors]).toEqual([400, { '0.slug': [problem] }])
      const upserted = await api.post(`${url}bulk-upsert/`, [{ name: 'A', slug: 'export' }])
      expect([upserted.status, upserted.envelope().errors]).toEqual([400, { '0.slug': [problem] }])
      const imported = await api.post(`${url}import-from-file/`, file('A,export', 'B,'))
      expect(imported.data()).toMatchObject({ created: 1, errors: [{ row: 2, field: 'slug', message: problem }] })
      const [{ id } = { id: 0 }] = (await api.get(url)).data<{ id: number }[]>()
      const changed = await api.patch(`${url}b/`, { slug: 'export' })
      expect([changed.status, changed.envelope().errors]).toEqual([400, { slug: [problem] }])
      const changes = await api.patch(`${url}bulk-update/`, [{ id, slug: 'export' }])
      expect([changes.status, changes.envelope().errors]).toEqual([400, { '0.slug': [problem] }])
      for (const slug of ['.', '..']) expect((await api.post(url, { name: 'A', slug })).status, slug).toBe(400)
      expect(await slugsOf(resource)).toEqual(['b'])
    })

    test('cannot be stored by code, nor by another resource of the model', async () => {
      await expect(api.database.transaction(() => createRecord(pages, { name: 'A', slug: 'export' }))).rejects.toThrow(
        '"export" is a part of other addresses',
      )
      const other = await api.post('/names/', { name: 'Export' })
      expect(other.envelope().errors).toEqual({ name: [expect.stringContaining('Change the text.')] })
    })

    test('may be sent to a resource whose paths do not have it', async () => {
      const part = (await api.post('/pages/', { name: 'A', slug: 'shout' })).data()
      expect(part).toMatchObject({ slug: 'shout' })
    })
  })

  describe('with ifTaken, requests at the same time', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => index)
    const statusesOf = async (ask: (index: number) => Promise<{ readonly status: number }>) =>
      new Set((await Promise.all(twenty.map(ask))).map(({ status }) => status))

    // A rule needs several statements.
    test.each(['posts', 'checked'])('get different slugs: single, to /%s/', async resource => {
      expect(await statusesOf(() => api.post(`/${resource}/`, { name: 'Same' }))).toEqual(new Set([201]))
      expect(new Set(await slugsOf('posts')).size).toBe(20)
    })

    test('get different slugs: bulk', async () => {
      const items = [{ name: 'Same' }, { name: 'same' }]
      expect(await statusesOf(() => api.post('/posts/bulk-create/', items))).toEqual(new Set([201]))
      expect((await api.get('/posts/')).envelope()).toMatchObject({ count: 40 })
    })

    test('get different slugs: upsert', async () => {
      const items = (index: number) => [{ name: 'Same' }, { name: 'Other', slug: `other-${index}` }]
      const answers = await Promise.all(twenty.map(index => api.post('/posts/bulk-upsert/', items(index))))
      expect(answers.map(answer => answer.envelope().errors ?? answer.data())).toEqual(
        twenty.map(() => ({ created: 2, updated: 0 })),
      )
    })

    test('get different slugs: import', async () => {
      const rows = (index: number) => file(`Same!${'!'.repeat(index)},`, `Same?${'?'.repeat(index)},`)
      expect(await statusesOf(index => api.post('/posts/import-from-file/', rows(index)))).toEqual(new Set([201]))
      expect((await api.get('/posts/')).envelope()).toMatchObject({ count: 40 })
    })

    test('a slug that a client sends is not changed', async () => {
      const statuses = await statusesOf(() => api.post('/posts/', { name: 'Same', slug: 'same' }))
      expect(statuses.has(201)).toBe(true)
      expect(await slugsOf('posts')).toEqual(['same'])
    })
  })

  test('a derived slug gets an ending only if the tenant has it', async () => {
    for (const as of ['north', 'south']) {
      expect((await api.post('/notes/', { name: 'One' }, { as })).data()).toMatchObject({ slug: 'one' })
      await api.post('/notes/', { name: 'One!' }, { as })
      await api.post('/notes/bulk-create/', [{ name: 'Two' }, { name: 'Two?' }], { as })
      await api.post('/notes/import-from-file/', file('Four,', 'Four!,'), { as })
      const slugs = await slugsOf('notes', as)
      expect(slugs.map(slug => slug.replace(/-[0-9a-z]{6}$/, '-…'))).toEqual([
        'one',
        'one-…',
        'two',
        'two-…',
        'four',
        'four-…',
      ])
    }
    const ofCode = await api.database.transaction(() => createRecord(notes, { name: 'One', firm: 'west' }))
    expect(ofCode.slug).toBe('one')
  })
})
