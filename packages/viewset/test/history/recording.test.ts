import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  createRecord,
  currentDb,
  findRecords,
  insertMany,
  type Reply,
  transaction,
  ValidationError,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { authorResources, seedAuthors, storedAuthors, WRITES } from '../support/write-paths.ts'

/** The entries that each way to write stores: the record, what was done, and the changed names. */
const EXPECTED: Readonly<Record<string, readonly (readonly [name: string, action: string])[]>> = {
  'a create': [['New', 'create']],
  'a PUT': [['Ada > New', 'update']],
  'a PATCH': [['Ada > New', 'update']],
  'a DELETE': [['Ada', 'delete']],
  'a bulk create': [
    ['New', 'create'],
    ['Newer', 'create'],
  ],
  'a bulk update': [['Ada > New', 'update']],
  'a bulk update that saves': [['Ada > New', 'update']],
  'a bulk upsert': [['Ada > New', 'update']],
  'a bulk delete': [
    ['Ada', 'delete'],
    ['Bob', 'delete'],
  ],
  'a bulk soft delete': [
    ['', 'soft_delete'],
    ['', 'soft_delete'],
  ],
  'a restore': [['', 'restore']],
  'a bulk restore': [['', 'restore']],
  'an import': [
    ['Ada > New', 'update'],
    ['Newer', 'create'],
  ],
  'an import in chunks': [
    ['Ada > New', 'update'],
    ['Newer', 'create'],
  ],
  'a replace': [
    ['Ada', 'delete'],
    ['Bob', 'delete'],
    ['Cy', 'delete'],
    ['New', 'create'],
    ['Newer', 'create'],
  ],
}

const SOURCES: Readonly<Record<string, string>> = {
  'a create': 'create',
  'a PUT': 'update',
  'a PATCH': 'update',
  'a DELETE': 'destroy',
  'a bulk create': 'bulk_create',
  'a bulk update': 'bulk_update',
  'a bulk update that saves': 'bulk_update',
  'a bulk upsert': 'bulk_upsert',
  'a bulk delete': 'bulk_delete',
  'a bulk soft delete': 'bulk_soft_delete',
  'a restore': 'restore',
  'a bulk restore': 'bulk_restore',
  'an import': 'import',
  'an import in chunks': 'import',
  'a replace': 'import',
}

describeDialects('the history of a model', dialect => {
  const c = dialect.kit
  const tables = models(c)
  const { authors } = tables
  const { authorsHistory } = c.HistoryTable(authors)
  let refuses = false
  const resources = Object.entries(authorResources(tables)).map(([name, Resource]) => {
    // TypeScript does not extend a union of classes.
    class Refusing extends (Resource as ReturnType<typeof authorResources>['authors']) {
      override async finalize(reply: Reply) {
        if (refuses) throw new ValidationError('No.')
        return reply
      }
    }
    return [name, Refusing] as const
  })
  const api = useApi(dialect, { tables: { ...tables, authorsHistory }, resources: Object.fromEntries(resources) })
  beforeEach(async () => {
    refuses = false
    await seedAuthors(api, tables)
    await api.database.transaction(async () => void (await currentDb().delete(authorsHistory)))
  })
  const entries = () => api.database.use(() => currentDb().select().from(authorsHistory).orderBy(authorsHistory.id))
  const shown = async () =>
    (await entries()).map(({ action, before, after }) => {
      const names = [before?.name, after?.name].filter(name => name !== undefined)
      return [names.join(' > '), action]
    })

  test.each(WRITES)('has one entry for each record that %s changes', async (label, status, write) => {
    expect((await write(api)).status).toBe(status)
    expect((await shown()).toSorted()).toEqual([...(EXPECTED[label] ?? [])].toSorted())
    for (const { source, requestId, job } of await entries()) {
      expect([source, typeof requestId, job]).toEqual([SOURCES[label], 'string', null])
    }
  })

  test.each(WRITES)('has entries of %s exactly if it is stored', async (_, __, write) => {
    refuses = true
    const before = await storedAuthors(api)
    expect((await write(api)).status).toBe(400)
    const isStored = String(await storedAuthors(api)) !== String(before)
    expect((await entries()).length > 0).toBe(isStored)
  })

  test('has all columns of a new and of a deleted record, and of an update only those that have changed', async () => {
    const { id } = (await api.post('/authors/', { name: 'New', email: 'n@example.org' })).data<{ id: string }>()
    await api.patch(`/authors/${id}/`, { name: 'Newer', email: 'n@example.org' })
    await api.patch(`/authors/${id}/`, { name: 'Newer' })
    await api.delete(`/authors/${id}/`)
    const [created, updated, deleted, ...more] = await entries()
    expect(more).toEqual([])
    const whole = { id, name: 'New', email: 'n@example.org', is_active: true, deleted_at: null }
    expect(created).toMatchObject({ record: id, before: null, after: whole })
    expect(created?.after?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(updated).toMatchObject({ record: id, before: { name: 'New' }, after: { name: 'Newer' } })
    expect([updated?.before, updated?.after].map(values => Object.keys(values ?? {}))).toEqual([['name'], ['name']])
    expect(deleted).toMatchObject({ record: id, before: { ...whole, name: 'Newer' }, after: null })
  })

  test('names the user and the reason', async () => {
    const headers = { 'x-change-reason': encodeURIComponent('Wrong name – see #5') }
    await api.patch(`/authors/${uuid(1)}/`, { name: 'New' }, { headers })
    expect(await entries()).toMatchObject([{ user: null, reason: 'Wrong name – see #5', source: 'update' }])
    const long = await api.patch(
      `/authors/${uuid(1)}/`,
      { name: 'x' },
      { headers: { 'x-change-reason': 'x'.repeat(501) } },
    )
    expect([long.status, long.envelope().errors]).toEqual([400, { 'X-Change-Reason': [expect.any(String)] }])
  })

  describe('of writes by code', () => {
    const inCode = <T>(fn: () => Promise<T>) => api.database.transaction(fn)

    test('has an entry for each record', async () => {
      await inCode(async () => {
        await insertMany(authors, [{ name: 'One' }, { name: 'Two' }])
        const author = await createRecord(authors, { name: 'Three' })
        author.name = 'Four'
        await author.save()
        await author.softDelete()
        await author.restore()
        await author.delete()
      })
      expect(await shown()).toEqual([
        ['One', 'create'],
        ['Two', 'create'],
        ['Three', 'create'],
        ['Three > Four', 'update'],
        ['', 'soft_delete'],
        ['', 'restore'],
        ['Four', 'delete'],
      ])
      expect((await entries()).map(({ source }) => source)).toEqual(Array(7).fill(null))
    })

    test('has what was stored right before the write, also if the record was read long before', async () => {
      await api.database.use(async () => {
        const [author] = await findRecords(authors, eq(authors.id, uuid(1)))
        await transaction(
          async () =>
            void (await currentDb()
              .update(authors)
              .set({ name: 'Meanwhile' })
              .where(eq(authors.id, uuid(1)))),
        )
        if (!author) throw new Error('no author')
        author.name = 'New'
        await author.save()
      })
      expect(await shown()).toEqual([['Meanwhile > New', 'update']])
    })

    test('has no entry of a savepoint that is undone', async () => {
      await inCode(async () => {
        const lost = transaction(async () => {
          await createRecord(authors, { name: 'Lost' })
          throw new Error('undo')
        })
        await expect(lost).rejects.toThrow('undo')
        await createRecord(authors, { name: 'Kept' })
      })
      expect(await shown()).toEqual([['Kept', 'create']])
    })
  })

  test('has the old values of records that exchange a unique value', async () => {
    const items = [
      { id: uuid(1), email: 'bob@example.org' },
      { id: uuid(2), email: 'ada@example.org' },
    ]
    for (const resource of ['authors', 'saved']) {
      expect((await api.patch(`/${resource}/bulk-update/`, items)).status).toBe(200)
      const changes = (await entries()).map(({ before, after }) => [before?.email, after?.email])
      expect(changes.toSorted()).toEqual([
        ['ada@example.org', 'bob@example.org'],
        ['bob@example.org', 'ada@example.org'],
      ])
      await api.database.transaction(async () => {
        await currentDb()
          .update(authors)
          .set({ email: sql`'x' || ${authors.email}` })
        await currentDb()
          .update(authors)
          .set({ email: 'ada@example.org' })
          .where(eq(authors.id, uuid(1)))
        await currentDb()
          .update(authors)
          .set({ email: 'bob@example.org' })
          .where(eq(authors.id, uuid(2)))
        await currentDb().delete(authorsHistory)
      })
    }
  })

  test('makes a bulk update of any size three statements', async () => {
    const items = Array.from({ length: 50 }, () => ({ name: 'n' }))
    const created = (await api.post('/authors/bulk-create/', items)).data<{ id: string }[]>()
    const changes = created.map(({ id }) => ({ id, name: 'm' }))
    const sent = await api.statementsOf(() => api.patch('/authors/bulk-update/', changes))
    expect(sent.filter(text => !/^(begin|commit)/i.test(text)).length).toBeLessThanOrEqual(4)
    expect((await entries()).filter(({ action }) => action === 'update')).toHaveLength(50)
  })
})

describeDialects('a history with options', dialect => {
  const c = dialect.kit
  const people = c.table('staff_members', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    salary: c.decimal(10, 2),
    views: c.integer().notNull().default(0),
    raw: c.binary(),
    tags: c.json(),
  })
  const { staffMembersHistory } = c.HistoryTable(people, { ignore: ['views'], redact: ['salary'] })
  const api = useApi(dialect, {
    tables: { people, staffMembersHistory },
    resources: {
      people: BulkViewSet({
        model: people,
        serializer: BaseModelSerializer(people, { fields: ['id', 'name', 'salary', 'views', 'raw', 'tags'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  const entries = () =>
    api.database.use(() => currentDb().select().from(staffMembersHistory).orderBy(staffMembersHistory.id))

  test('keeps no value of a redacted field, and no change of an ignored one', async () => {
    const { id } = (await api.post('/people/', { name: 'Ann', salary: '5.00' })).data<{ id: number }>()
    await api.patch(`/people/${id}/`, { views: 5 })
    await api.patch(`/people/${id}/`, { salary: '6.00' })
    await api.patch(`/people/${id}/`, { salary: '7.00', name: 'Anna' })
    expect((await entries()).map(({ before, after }) => [before, after])).toEqual([
      [null, { id, name: 'Ann', raw: null, tags: null, '': ['salary'] }],
      [{ '': ['salary'] }, { '': ['salary'] }],
      [
        { name: 'Ann', '': ['salary'] },
        { name: 'Anna', '': ['salary'] },
      ],
    ])
  })

  test('keeps values as JSON shows them', async () => {
    const raw = Buffer.from('bytes').toString('base64')
    const { id } = (await api.post('/people/', { name: 'Ann', raw, tags: { a: [1, null] } })).data<{ id: number }>()
    await api.patch(`/people/${id}/`, { tags: { a: [1, null] }, raw })
    await api.patch(`/people/${id}/`, { tags: [] })
    expect(await entries()).toMatchObject([
      { after: { raw, tags: { a: [1, null] } } },
      { before: { tags: { a: [1, null] } }, after: { tags: [] } },
    ])
  })

  test.each([
    [{ ignore: ['veiws'] }, 'did you mean "views"?'],
    [{ redact: ['id2'] }, 'unknown field "id2"'],
  ])('%j is refused', async (options, problem) => {
    const table = c.table(`t_${randomUUID().slice(0, 8)}`, { id: c.integer().primaryKey(), views: c.integer() })
    expect(() => {
      c.HistoryTable(table, options as object)
      const serializer = BaseModelSerializer(table, { fields: ['id', 'views'] })
      BulkViewSet({ model: table, serializer, permissionClasses: [AllowAny] })
    }).toThrow(problem)
  })
})
