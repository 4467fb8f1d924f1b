import {
  AllowAny,
  BaseModelSerializer,
  CreateModelMixin,
  compose,
  defineMixin,
  importModel,
  type Model,
  type ModelRecord,
  type ModelSerializer,
  type RecordList,
  type SerializerInput,
  ValidationError,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models, seed } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    MaskMixin: { config: object; methods: { serialize(record: ModelRecord<M>): Promise<Record<string, unknown>> } }
    StampMixin: { config: object; methods: object }
  }
}

/** Hides an author's e-mail address, and shows nothing else. */
const masked = async (record: object) => {
  const { id, name } = record as { readonly id: string; readonly name: string }
  return { id, name, email: 'hidden' }
}

/** What {@link masked} shows, which no type of a method can tell a document. */
const describes = {
  record: {
    title: 'MaskedAuthor',
    type: 'object',
    properties: { id: { type: 'string', format: 'uuid' }, name: { type: 'string' }, email: { const: 'hidden' } },
    required: ['id', 'name', 'email'],
  },
}

const MaskMixin = defineMixin('MaskMixin', {
  methods: Base =>
    class extends Base {
      override serialize = masked
    },
})

const StampMixin = defineMixin('StampMixin', {
  extends: [CreateModelMixin],
  methods: Base =>
    class extends Base {
      override performCreate(values: { readonly name?: string }) {
        return super.performCreate({ ...values, name: `${values.name}, stamped` })
      }
    },
})

describeDialects('a hook is honoured on every path:', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const AuthorSerializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email', 'isActive'] })
  type Author = ModelRecord<typeof authors>
  type Values = SerializerInput<typeof AuthorSerializer>

  const config = {
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    upsertFields: ['email'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  } as const
  const PlainViewSet = FullViewSet(config)

  class Masking extends FullViewSet({ ...config, describes }) {
    override serialize = async (record: Author) => masked(record) as never
  }

  /** Has its own way for one record, and none for many. */
  class OneByOne extends PlainViewSet {
    override async performCreate(values: Values) {
      if (values.name === 'Refused') throw new ValidationError({ name: ['Not this one.'] })
      return super.performCreate({ ...values, name: `${values.name}, created` })
    }
    override async performUpdate(author: Author, values: Values) {
      if (values.name === 'Refused') throw new ValidationError({ name: [`Not ${author.name}.`] })
      return super.performUpdate(author, { ...values, name: `${author.name}, then ${values.name}` })
    }
    override async performDestroy(author: Author) {
      await author.softDelete()
    }
  }

  /** Has its own way for many records. */
  class Together extends PlainViewSet {
    override async performBulkCreate(values: Values[]) {
      return super.performBulkCreate(values.map(item => ({ ...item, name: `${item.name} of ${values.length}` })))
    }
    override async performBulkUpdate(changes: Parameters<InstanceType<typeof PlainViewSet>['performBulkUpdate']>[0]) {
      const changed = changes.map(({ record, values }) => ({
        record,
        values: { ...values, name: `${record.name}, then ${values.name}` },
      }))
      return super.performBulkUpdate(changed)
    }
    override async performBulkDelete(records: RecordList<typeof authors>) {
      return this.performBulkSoftDelete(records)
    }
  }

  /** Changes what it gets. */
  class Growing extends PlainViewSet {
    override async performCreate(values: Values) {
      if (values.name === 'Refused') throw new ValidationError({ name: ['Not this one.'] })
      values.name += '!'
      return super.performCreate(values)
    }
    override async performUpdate(author: Author, values: Values) {
      if (values.name === 'Refused') throw new ValidationError({ name: ['Not this one.'] })
      author.name += `, ${values.name}!`
      return super.performUpdate(author, { email: values.email ?? null })
    }
  }

  /** Leaves a field out that a client sends. */
  class WithoutEmail extends PlainViewSet {
    override async performUpdate(author: Author, { email, ...values }: Values) {
      return super.performUpdate(author, values)
    }
  }

  const api = useApi(dialect, {
    tables,
    resources: {
      growing: Growing,
      'without-email': WithoutEmail,
      plain: PlainViewSet,
      masking: Masking,
      'masked-by-mixin': compose(...FullViewSet.mixins, MaskMixin)({ ...config, describes }),
      'one-by-one': OneByOne,
      stamped: compose(...FullViewSet.mixins, StampMixin)(config),
      together: Together,
    },
  })
  const ada = { id: uuid(1), name: 'Ada', email: 'ada@example.org' }
  const bob = { id: uuid(2), name: 'Bob', email: 'bob@example.org' }
  beforeEach(() => seed(api.database, tables, { authors: [ada, bob] }))

  /** Name and activity of all authors, by their address. */
  const stored = async () => {
    const response = await api.get('/plain/?paginated=false&ordering=email')
    const items = response.data() as { name: string; is_active: boolean }[]
    return items.map(({ name, is_active }) => (is_active ? name : `${name} (deleted)`))
  }
  const upsert = (path: string, ...items: object[]) => api.post(`${path}/bulk-upsert/`, items)
  const importRows = (path: string, csv: string, append = true) =>
    api.request('POST', `${path}/import-from-file/`, importForm(csv, { append }))

  describe.each(['/masking', '/masked-by-mixin'])('serialize of %s', path => {
    test.each([
      ['a list', () => api.get(`${path}/`)],
      ['a whole list', () => api.get(`${path}/?paginated=false`)],
      ['a retrieve', () => api.get(`${path}/${ada.id}/`)],
      ['a create', () => api.post(`${path}/`, { name: 'Cleo', email: 'cleo@example.org' })],
      ['a PUT', () => api.put(`${path}/${ada.id}/`, { name: 'Eve' })],
      ['a PATCH', () => api.patch(`${path}/${ada.id}/`, { name: 'Eve' })],
      ['a bulk create', () => api.post(`${path}/bulk-create/`, [{ name: 'Cleo', email: 'cleo@example.org' }])],
      ['a bulk PUT', () => api.put(`${path}/bulk-update/`, [{ id: ada.id, name: 'Eve' }])],
      ['a bulk PATCH', () => api.patch(`${path}/bulk-update/`, [{ id: ada.id, name: 'Eve' }])],
    ])('%s', async (_, ask) => {
      const response = await ask()
      expect(response.text).toContain('"email":"hidden"')
      expect(response.text).not.toContain('@example.org')
    })

    test('items of a list keep their index', async () => {
      const items = (await api.get(`${path}/?page_size=1&page=2&ordering=name`)).data()
      expect(items).toEqual([{ id: bob.id, name: 'Bob', email: 'hidden', index: 2 }])
    })

    test('a list that is sent while it is read', async () => {
      const many = Array.from({ length: 1_500 }, (_, i) => ({ name: `N${i}`, email: `n${i}@example.org` }))
      await seed(api.database, tables, { authors: many })
      const items = (await api.get(`${path}/?paginated=false`)).data() as { email: string; index: number }[]
      expect(new Set(items.map(({ email }) => email))).toEqual(new Set(['hidden']))
      expect(items.map(({ index }) => index)).toEqual(Array.from({ length: 1_502 }, (_, i) => i + 1))
    })
  })

  test.each([
    ['/one-by-one', ', created'],
    ['/stamped', ', stamped'],
  ])('performCreate of %s: bulk create, upsert and import', async (path, suffix) => {
    const create = await api.post(`${path}/bulk-create/`, [{ name: 'Cleo', email: 'c' }])
    expect(create.data()).toMatchObject([{ name: `Cleo${suffix}` }])
    expect((await upsert(path, { name: 'Dan', email: 'd' })).data()).toEqual({ created: 1, updated: 0 })
    expect((await importRows(path, 'name,email\nEve,e\n')).data()).toMatchObject({ created: 1, failed: 0 })
    expect(await stored()).toEqual(['Ada', 'Bob', ...['Cleo', 'Dan', 'Eve'].map(name => name + suffix)])
  })

  test('performUpdate: bulk update, upsert and import', async () => {
    const update = await api.patch('/one-by-one/bulk-update/', [{ id: ada.id, name: 'A' }])
    expect(update.data()).toMatchObject([{ name: 'Ada, then A' }])
    await upsert('/one-by-one', { name: 'B', email: bob.email })
    expect((await importRows('/one-by-one', `name,email\nX,${ada.email}\n`)).data()).toMatchObject({ updated: 1 })
    expect(await stored()).toEqual(['Ada, then A, then X', 'Bob, then B'])
  })

  test('performDestroy: bulk delete, and what an import replaces', async () => {
    const report = await api.request('DELETE', '/one-by-one/bulk-delete/', { body: [ada.id] })
    expect(report.data()).toEqual({ requested_count: 1, count: 1, missing_ids: [] })
    expect(await stored()).toEqual(['Ada (deleted)', 'Bob'])
    const replaced = await importRows('/one-by-one', 'name,email\nCleo,c@example.org\n', false)
    expect(replaced.data()).toMatchObject({ deleted: 2, created: 1 })
    expect(await stored()).toEqual(['Ada (deleted)', 'Bob (deleted)', 'Cleo, created'])
  })

  test('an error of one record is told with its place', async () => {
    const items = [
      { name: 'Fine', email: 'f' },
      { name: 'Refused', email: 'r' },
    ]
    expectInvalid(await api.post('/one-by-one/bulk-create/', items), { '1.name': ['Not this one.'] })
    expectInvalid(await upsert('/one-by-one', ...items.toReversed()), { '0.name': ['Not this one.'] })
    const refused = { id: bob.id, name: 'Refused' }
    const update = await api.patch('/one-by-one/bulk-update/', [{ id: ada.id, name: 'Fine' }, refused])
    expectInvalid(update, { '1.name': ['Not Bob.'] })
    expectInvalid(await upsert('/one-by-one', items[0] as object, { name: 'Refused', email: bob.email }), {
      '1.name': ['Not Bob.'],
    })
    const report = (await importRows('/one-by-one', `name,email\nFine,f\nRefused,r\nRefused,${bob.email}\n`)).data()
    expect(report).toMatchObject({
      created: 1,
      failed: 2,
      errors: [
        { row: 3, field: 'name', message: 'Not this one.' },
        { row: 4, field: 'name', message: 'Not Bob.' },
      ],
    })
    expect(await stored()).toEqual(['Ada', 'Bob', 'Fine, created'])
  })

  test('a try that is undone leaves nothing in what the next one gets', async () => {
    const rows = ['A,a', 'B,b', 'Refused,r', 'D,d', `E,${ada.email}`, `Refused,${bob.email}`]
    const report = (await importRows('/growing', `name,email\n${rows.join('\n')}\n`)).data()
    expect(report).toMatchObject({ created: 3, updated: 1, failed: 2 })
    expect(await stored()).toEqual(['A!', 'Ada, E!', 'B!', 'Bob', 'D!'])
  })

  test('a unique value that a hook does not write stays', async () => {
    const swapped = [
      { id: ada.id, email: bob.email },
      { id: bob.id, email: ada.email },
    ]
    await api.patch('/without-email/bulk-update/', swapped)
    expect((await api.get(`/plain/${ada.id}/`)).data()).toMatchObject({ email: ada.email })
    expect((await api.get(`/plain/${bob.id}/`)).data()).toMatchObject({ email: bob.email })
  })

  test('performBulkCreate, performBulkUpdate and performBulkDelete: upsert and import', async () => {
    await upsert('/together', { name: 'Dan', email: 'd' }, { name: 'B', email: bob.email })
    await importRows('/together', `name,email\nEve,e\nFay,f\nA,${ada.email}\n`)
    expect(await stored()).toEqual(['Ada, then A', 'Bob, then B', 'Dan of 1', 'Eve of 2', 'Fay of 2'])
    const replaced = await importRows('/together', 'name,email\nGus,g\n', false)
    expect(replaced.data()).toMatchObject({ deleted: 5, created: 1 })
    expect((await stored()).filter(name => !name.endsWith('(deleted)'))).toEqual(['Gus of 1'])
  })

  test('a dry run calls the hooks and stores nothing', async () => {
    const csv = 'name,email\nCleo,c\nRefused,r\n'
    const response = await api.request(
      'POST',
      '/one-by-one/import-from-file/',
      importForm(csv, { append: false, dryRun: true }),
    )
    expect(response.data()).toMatchObject({ failed: 1, errors: [{ row: 3, message: 'Not this one.' }] })
    expect(await stored()).toEqual(['Ada', 'Bob'])
  })
})
