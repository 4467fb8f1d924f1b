import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { AllowAny, BaseViewSet, createRecord, currentUser } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectSuccess, uuid } from '../support/expect.ts'
import { models, seed, users } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** A place in a handler where it waits until a test lets it go on. */
class Gate {
  readonly #reached = Promise.withResolvers<void>()
  readonly #opened = Promise.withResolvers<void>()

  /** For the handler. */
  async pass(): Promise<void> {
    this.#reached.resolve()
    await this.#opened.promise
  }

  /** For the test: resolves once the handler waits. */
  get reached(): Promise<void> {
    return this.#reached.promise
  }

  open(): void {
    this.#opened.resolve()
  }
}

describeDialects('concurrent requests', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  let gate: Gate
  beforeEach(() => {
    gate = new Gate()
  })

  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
        ordering: 'name',
        actions: {
          'create-slowly': {
            method: 'POST',
            detail: false,
            handler: async view => {
              await createRecord(authors, { id: uuid(1), name: 'Slow' })
              await view.db.insert(authors).values({ id: uuid(2), name: 'Slower' })
              await gate.pass()
              if (view.query.fail !== undefined) throw new Error('in the end')
              return (await view.db.select().from(authors)).length
            },
          },
          'change-slowly': {
            method: 'POST',
            detail: true,
            handler: async view => {
              const author = await view.getObject()
              author.name = 'Changed'
              await author.save()
              await gate.pass()
              return null
            },
          },
          'who-slowly': {
            method: 'POST',
            detail: false,
            handler: async view => {
              await sleep(Number(view.query.wait))
              return [view.user?.id, currentUser()?.id]
            },
          },
        },
      }),
    },
  })
  const list = (...names: string[]) => ({
    count: names.length,
    data: names.map((name, i) => ({ id: expect.any(String), name, index: i + 1 })),
  })
  const names = async () => (await api.get('/authors/')).data<{ name: string }[]>().map(({ name }) => name)

  test("never see each other's uncommitted rows", async () => {
    const writing = api.post('/authors/create-slowly/')
    await gate.reached
    expectSuccess(await api.get('/authors/'), 200, { count: 0, data: [] })
    expectSuccess(await api.get('/authors/?paginated=false'), 200, { data: [] })
    expectError(await api.get(`/authors/${uuid(1)}/`), 404, 'There is no such record, or you may not see it.')
    gate.open()
    expectSuccess(await writing, 200, { data: 2 })
    expect(await names()).toEqual(list('Slow', 'Slower').data.map(({ name }) => name))
  })

  test("a second writer neither joins the first one's transaction nor is lost with it", async () => {
    const failing = api.post('/authors/create-slowly/?fail')
    await gate.reached
    const other = api.post('/authors/', { name: 'Other' })
    expect(await names()).not.toContain('Slow')
    gate.open()
    expect((await failing).status).toBe(500)
    expect((await other).status).toBe(201)
    expect(await names()).toEqual(['Other'])
  })

  test('a reader between two writers sees only what is committed', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(5), name: 'Before' }] })
    const writing = api.post(`/authors/${uuid(5)}/change-slowly/`)
    await gate.reached
    const second = api.patch(`/authors/${uuid(5)}/`, { name: 'After' })
    expect(await names()).toEqual(['Before'])
    gate.open()
    expectSuccess(await writing, 200, { data: null })
    expectSuccess(await second, 200, { data: { id: uuid(5), name: 'After' } })
    expect(await names()).toEqual(['After'])
  })

  test('twenty writers at once all succeed', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => api.post('/authors/', { name: `A${i}` })))
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201))
    expect(await api.rows('authors')).toHaveLength(20)
  })

  test('each knows its own user, however long it takes', async () => {
    const asked = Array.from({ length: 10 }, (_, i) => ({ as: i % 2 ? 'ann' : 'ben', wait: (10 - i) * 3 }) as const)
    const responses = await Promise.all(
      asked.map(({ as, wait }) => api.post(`/authors/who-slowly/?wait=${wait}`, undefined, { as })),
    )
    expect(responses.map(response => response.data())).toEqual(asked.map(({ as }) => [users[as].id, users[as].id]))
  })

  test('twenty updates of one record leave one of them, whole', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(5), name: 'Before' }] })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => api.patch(`/authors/${uuid(5)}/`, { name: `A${i}` })),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(responses.map(response => response.data().name)).toContain((await names())[0])
  })

  describe('reads', () => {
    test('go on while a transaction is open', async () => {
      const writing = api.post('/authors/create-slowly/')
      await gate.reached
      const reads = await Promise.all(Array.from({ length: 20 }, () => api.get('/authors/')))
      expect(reads.every(({ status }) => status === 200)).toBe(true)
      gate.open()
      await writing
    })

    test('outside of a request see what is committed', async () => {
      const writing = api.post('/authors/create-slowly/')
      await gate.reached
      const { database } = api
      const read = () =>
        database.use(async () => (await import('viewset')).findRecords(authors, eq(authors.name, 'Slow')))
      expect(await read()).toEqual([])
      gate.open()
      await writing
      expect(await read()).toMatchObject([{ name: 'Slow' }])
    })
  })
})
