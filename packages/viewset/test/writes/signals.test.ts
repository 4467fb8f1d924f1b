import {
  AllowAny,
  BaseViewSet,
  createRecord,
  findRecords,
  insertMany,
  onCommit,
  PermissionDenied,
  postDelete,
  postSave,
  preDelete,
  preSave,
  ValidationError,
} from 'viewset'
import { afterEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid, expectSuccess, ID, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('signals', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const api = useApi(dialect, {
    tables,
    openapi: { errors: { 403: 'A signal handler refuses the write.' } },
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: serializers(tables).AuthorSerializer,
        permissionClasses: [AllowAny],
        actions: {
          'soft-delete': {
            method: 'POST',
            detail: true,
            handler: async view => void (await (await view.getObject()).softDelete()),
          },
        },
      }),
    },
  })
  const disconnects: (() => void)[] = []
  const connect = (...more: (() => void)[]) => void disconnects.push(...more)
  afterEach(() => {
    for (const disconnect of disconnects.splice(0)) disconnect()
  })
  const seedAuthor = () => seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
  const path = `/authors/${uuid(1)}/`

  test('tell before and after what is written, in order', async () => {
    const heard: unknown[] = []
    connect(
      preSave(authors, ({ created, record, values }) =>
        heard.push(['preSave', created, record?.name ?? null, values.name]),
      ),
      postSave(authors, ({ created, record }) => heard.push(['postSave', created, record.name])),
      preDelete(authors, ({ record }) => heard.push(['preDelete', record.name])),
      postDelete(authors, ({ record }) => heard.push(['postDelete', record.name])),
    )
    const created = await api.post('/authors/', { name: 'Ada' })
    await api.patch(`/authors/${created.data().id}/`, { name: 'Eve' })
    await api.delete(`/authors/${created.data().id}/`)
    expect(heard).toEqual([
      ['preSave', true, null, 'Ada'],
      ['postSave', true, 'Ada'],
      ['preSave', false, 'Ada', 'Eve'],
      ['postSave', false, 'Eve'],
      ['preDelete', 'Eve'],
      ['postDelete', 'Eve'],
    ])
  })

  test('preSave may change what is written', async () => {
    connect(
      preSave(authors, ({ values }) => {
        if (values.name) Object.assign(values, { email: `${values.name.toLowerCase()}@example.org` })
      }),
    )
    expectSuccess(await api.post('/authors/', { name: 'Ada' }), 201, {
      data: { id: ID, name: 'Ada', email: 'ada@example.org' },
    })
    await seedAuthor()
    expectSuccess(await api.patch(path, { name: 'Eve' }), 200, {
      data: { id: uuid(1), name: 'Eve', email: 'eve@example.org' },
    })
  })

  test('are waited for, one after the other, and stop when they are disconnected', async () => {
    const heard: string[] = []
    const slow = postSave(authors, async () => {
      await new Promise(resolve => setTimeout(resolve, 10))
      heard.push('slow')
    })
    connect(
      slow,
      postSave(authors, () => heard.push('quick')),
    )
    await api.post('/authors/', { name: 'Ada' })
    slow()
    await api.post('/authors/', { name: 'Bob' })
    expect(heard).toEqual(['slow', 'quick', 'quick'])
  })

  describe('that throw undo the write', () => {
    test("of a create, with the client's answer", async () => {
      connect(
        postSave(authors, () => {
          throw new ValidationError({ name: ['Not today.'] })
        }),
      )
      expectInvalid(await api.post('/authors/', { name: 'Ada' }), { name: ['Not today.'] })
      expect(await api.rows('authors')).toEqual([])
    })

    test('of a delete', async () => {
      await seedAuthor()
      connect(
        postDelete(authors, () => {
          throw new PermissionDenied('This one stays.')
        }),
      )
      expectError(await api.delete(path), 403, 'This one stays.')
      expect(await api.rows('authors')).toHaveLength(1)
    })
  })

  test('take part in the transaction: what they write and what waits for the commit goes with it', async () => {
    const committed: string[] = []
    connect(
      postSave(authors, async ({ record, created }) => {
        if (!created || record.name !== 'Ada') return
        await createRecord(authors, { name: 'Shadow' })
        onCommit(() => committed.push(record.name))
      }),
      preDelete(authors, () => {
        throw new Error('crash')
      }),
    )
    await api.post('/authors/', { name: 'Ada' })
    expect(committed).toEqual(['Ada'])
    expect(await api.rows('authors')).toHaveLength(2)
  })

  test('a soft delete is a save', async () => {
    const heard: unknown[] = []
    connect(
      postSave(authors, ({ record, created }) => heard.push([created, record.isActive])),
      postDelete(authors, () => heard.push('deleted')),
    )
    await seedAuthor()
    await api.post(`${path}soft-delete/`)
    expect(heard).toEqual([[false, false]])
  })

  test('are for single records: insertMany is silent', async () => {
    const heard: unknown[] = []
    connect(postSave(authors, event => heard.push(event)))
    await api.database.transaction(() => insertMany(authors, [{ name: 'Ada' }]))
    expect(heard).toEqual([])
    await api.database.transaction(async () => (await findRecords(authors))[0]?.save())
    expect(heard).toHaveLength(1)
  })
})
