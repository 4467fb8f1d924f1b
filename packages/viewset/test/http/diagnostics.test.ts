import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  createRecord,
  currentDb,
  insertMany,
  ReadOnlyViewSet,
  transaction,
} from 'viewset'
import { channels } from 'viewset/observability'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Endpoint } from '../../src/viewset/endpoints/endpoint.ts'
import { endpointsOf } from '../../src/viewset/endpoints/endpoints.ts'
import type { AnyResourceClass } from '../../src/viewset/mixin.ts'
import { useActions } from '../support/actions.ts'
import { type Method, type RequestOptions, useApi } from '../support/api.ts'
import { describeDialects, pgDialect } from '../support/dialects.ts'
import { expectError, uuid } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { useObservedEvents } from '../support/observed-events.ts'
import { ROUTE_REQUESTS } from '../support/route-requests.ts'
import { authorResources, seedAuthors } from '../support/write-paths.ts'

/** What is sent to a route of the package. */
function optionsOf(route: string): RequestOptions | undefined {
  const request = ROUTE_REQUESTS[route]
  return request && { body: request.body, ...request.form }
}

describeDialects('what is told of a request', dialect => {
  const tables = models(dialect.kit)
  const failure = new Error('of the 2,400th')
  const shout = ({ name }: { readonly name: string }) => {
    if (name === 'a2400') throw failure
    return name.toUpperCase()
  }
  const resources = {
    ...authorResources(tables),
    failing: ReadOnlyViewSet({
      model: tables.authors,
      serializer: BaseModelSerializer(tables.authors, { fields: ['id', 'name'], extra: { shout } }),
      permissionClasses: [AllowAny],
    }),
  }
  const api = useApi(dialect, { tables, resources })
  beforeEach(() => seedAuthors(api, tables))
  const events = useObservedEvents()

  const endpoints = endpointsOf('authors', resources.authors as unknown as AnyResourceClass).map(endpoint => ({
    ...endpoint,
    options: optionsOf(`${endpoint.method} ${endpoint.path.slice('/authors'.length)}`),
  }))

  test.each(endpoints)('$method $path: one event, with all of its statements', async endpoint => {
    const { action, method, path, options } = endpoint
    expect(options).toBeDefined()
    let status = 0
    const sent = await api.statementsOf(async () => {
      status = (await ask(endpoint, options)).status
      await expect.poll(() => events.requests.ended.length).toBe(1)
    })
    expect(status).toBeLessThan(300)
    expect(events.requests.ended).toEqual([
      {
        id: expect.any(String),
        resource: 'authors',
        action,
        method,
        route: path,
        status,
        statements: sent.length,
        duration: expect.any(Number),
        result: undefined,
      },
    ])
    const [request] = events.requests.begun
    expect(events.statements.begun.map(({ text }) => text)).toEqual(sent)
    expect(events.statements.ended).toHaveLength(sent.length)
    for (const statement of events.statements.ended) {
      expect(statement).toMatchObject({ database: dialect.name, code: null })
      expect(statement.request).toBe(request)
      expect(statement.duration).toBeGreaterThan(0)
    }
    const writes = events.transactions.begun.filter(({ kind }) => kind === 'transaction')
    expect(writes.map(({ request: of, outcome }) => [of === request, outcome])).toEqual(
      writes.map(() => [true, 'commit']),
    )
    expect(events.requests.failed).toEqual([])
  })

  function ask({ method, path }: Endpoint, options?: RequestOptions) {
    return api.request(method as Method, path.replace(':id', uuid(1)), options)
  }

  test('the root of the API is no resource', async () => {
    await api.get('/')
    expect(events.requests.ended).toMatchObject([{ resource: null, action: 'root', route: '/', statements: 0 }])
  })

  test('HEAD is told as what it is the head of', async () => {
    await api.request('HEAD', '/authors/')
    expect(events.requests.ended).toMatchObject([{ action: 'list', method: 'GET', status: 200 }])
  })

  test('a refusal has a status and is no failure', async () => {
    await api.get(`/authors/${uuid(99)}/`)
    expect(events.requests.ended).toMatchObject([{ action: 'retrieve', status: 404, statements: 1 }])
    expect(events.requests.failed).toEqual([])
  })

  test('statements have a name, their rows, and no values', async () => {
    await api.get('/authors/?ordering=name')
    await api.post('/authors/', { name: 'Grace', email: 'grace@example.org' })
    const list = events.statements.ended.find(({ text }) => text.includes('"email"'))
    expect(list).toMatchObject({
      name: expect.stringMatching(/^viewset_/),
      rows: 3,
      streamed: false,
      transaction: null,
    })
    const insert = events.statements.ended.find(({ text }) => text.startsWith('insert'))
    expect(insert).toMatchObject({ rows: 1, transaction: null })
    await api.post('/authors/bulk-create/', [{ name: 'Grace', email: 'hopper@example.org' }])
    const inserts = events.statements.ended.filter(({ text }) => text.startsWith('insert'))
    expect(inserts[1]).toMatchObject({ rows: 1, transaction: { kind: 'transaction', attempt: 1 } })
    expect(JSON.stringify(events)).not.toMatch(/Grace|grace@|hopper@/)
  })

  test('a statement that the database refuses has the code that it gives', async () => {
    await api.database.use(() =>
      currentDb()
        .update(tables.authors)
        .set({ email: 'taken@example.org' })
        .where(eq(tables.authors.id, uuid(1))),
    )
    const twice = () => createRecord(tables.authors, { name: 'Grace', email: 'taken@example.org' })
    await expect(api.database.transaction(twice)).rejects.toThrow()
    const code = dialect.name === 'pg' ? '23505' : 'SQLITE_CONSTRAINT_UNIQUE'
    expect(events.statements.failed).toMatchObject([{ code, rows: 0, error: { code } }])
    expect(events.transactions.ended).toMatchObject([{ kind: 'transaction', outcome: 'rollback', request: null }])
    const [{ error: _, ...told } = {}] = events.statements.failed
    expect(JSON.stringify(told)).not.toMatch(/Grace|taken@/)
  })

  test('each chunk of an import is a transaction', async () => {
    const form = importForm('name,email\nA,a@example.org\nB,b@example.org\nC,c@example.org\n')
    expect((await api.request('POST', '/chunked/import-from-file/', form)).status).toBe(201)
    const inserts = events.statements.ended.filter(({ text }) => text.startsWith('insert'))
    // Rows are written behind a savepoint, so that one that is refused costs only itself.
    const chunks = inserts.map(({ transaction: savepoint }) => savepoint?.parent)
    expect(new Set(chunks).size).toBe(3)
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ kind: 'transaction', outcome: 'commit' })
      expect(chunk?.duration).toBeGreaterThan(chunk?.waited ?? Number.NaN)
    }
  })

  describe('a list that is read while it is sent', () => {
    const ROWS = 2_500
    beforeEach(() => {
      const rows = Array.from({ length: ROWS - 3 }, (_, i) => ({ name: `a${i}` }))
      return api.database.transaction(() => insertMany(tables.authors, rows))
    })
    const streams = () => events.statements.ended.filter(({ streamed }) => streamed)

    test('is one statement with all of its rows, and ends with its last byte', async () => {
      await api.get('/authors/?paginated=false')
      await expect.poll(() => events.requests.ended.length).toBe(1)
      const [request] = events.requests.ended
      expect(streams()).toMatchObject([{ rows: ROWS, transaction: null }])
      expect(events.statements.failed).toEqual([])
      expect(request).toMatchObject({ status: 200, statements: 2 })
      expect(request?.duration).toBeGreaterThan(streams()[0]?.duration ?? Number.NaN)
    })

    test('that fails on our side is the error of its request', async () => {
      await api.get('/failing/?paginated=false').catch(() => {})
      await expect.poll(() => events.requests.ended.length).toBe(1)
      expect(events.requests.failed).toMatchObject([{ resource: 'failing', error: failure }])
      expect(streams()).toHaveLength(1)
      expect(events.statements.failed).toEqual([])
    })

    test('that fails in the database is told with its code, and only its reader has the error', async () => {
      const text = dialect.name === 'pg' ? 'select 1 / 0' : 'select abs(-9223372036854775808)'
      const read = async () => {
        for await (const _ of api.database.stream({ text }, [], 10)) expect.fail('there is no row')
      }
      const code = dialect.name === 'pg' ? '22012' : 'SQLITE_ERROR'
      await expect(read()).rejects.toMatchObject({ code })
      expect(streams()).toMatchObject([{ rows: 0, code }])
    })

    test('ends with a client that goes away, and that is no failure', async () => {
      const address = `http://127.0.0.1:${await api.listen()}`
      const abort = new AbortController()
      const response = await fetch(`${address}/api/authors/?paginated=false`, { signal: abort.signal })
      await response.body?.getReader().read()
      abort.abort()
      await expect.poll(() => events.requests.ended.length).toBe(1)
      await expect.poll(() => streams().length).toBe(1)
      expect(streams()[0]?.rows).toBeGreaterThan(0)
      expect([...events.requests.failed, ...events.statements.failed]).toEqual([])
    })
  })
})

describeDialects('what is told of a transaction', dialect => {
  const { api, tables, run, read, create } = useActions(dialect)
  const events = useObservedEvents()
  const transactions = () => events.transactions.ended.map(({ kind, outcome }) => [kind, outcome])

  test('savepoints in it are events of their own, which end before it', async () => {
    await run(async () => {
      await create('A')
      await transaction(async () => {
        await create('B')
      })
      await transaction(async () => {
        throw new Error('not today')
      }).catch(() => {})
    })
    expect(transactions()).toEqual([
      ['savepoint', 'commit'],
      ['savepoint', 'rollback'],
      ['transaction', 'commit'],
    ])
    const inserts = events.statements.ended.filter(({ text }) => text.startsWith('insert'))
    expect(inserts.map(({ transaction: of }) => of?.kind)).toEqual(['transaction', 'savepoint'])
  })

  test('what fails on our side is the error of the request and of its transaction', async () => {
    const failure = new Error('broken')
    expect((await run(() => Promise.reject(failure))).status).toBe(500)
    expect(transactions()).toEqual([['transaction', 'rollback']])
    expect(events.transactions.failed).toMatchObject([{ error: failure }])
    expect(events.requests.failed).toMatchObject([{ action: 'run', status: 500, error: failure }])
  })

  test('one that Drizzle begins is told by its statements', async () => {
    await read(async () => currentDb().transaction(async tx => void (await tx.select().from(tables.authors))))
    const texts = events.statements.ended.map(({ text }) => text)
    expect(texts).toContainEqual(expect.stringMatching(/^select .+ from "authors"/))
    expect(events.requests.ended).toMatchObject([{ statements: texts.length }])
  })

  test('statements of Drizzle are told as those of Viewset', async () => {
    await run(async () => {
      await currentDb().insert(tables.authors).values({ name: 'Grace' })
      await transaction(async () => void (await currentDb().select().from(tables.authors)))
    })
    const told = events.statements.ended.flatMap(({ text, rows, transaction: of }) => {
      const [verb = ''] = text.split(' ')
      return ['insert', 'select'].includes(verb) ? [[verb, rows, of?.kind]] : []
    })
    expect(told).toEqual([
      ['insert', 1, 'transaction'],
      ['select', 1, 'savepoint'],
    ])
    expect(JSON.stringify(events)).not.toContain('Grace')
  })

  describe('for whoever follows the context', () => {
    const names = new AsyncLocalStorage<unknown>()
    beforeEach(() => {
      const path = (name: string) => [...((names.getStore() ?? []) as string[]), name]
      channels.request.start.bindStore(names, ({ action }) => path(action))
      channels.transaction.start.bindStore(names, ({ kind }) => path(kind))
      channels.statement.start.bindStore(names, () => path('statement'))
    })
    afterEach(() => {
      for (const { start } of Object.values(channels)) start.unbindStore(names)
    })

    test('a statement stands in its transaction, and that in its request', async () => {
      const seen: unknown[] = []
      const see = () => void seen.push(names.getStore())
      channels.statement.start.subscribe(see)
      await run(async () => {
        await create('A')
        await transaction(() => create('B'))
      })
      channels.statement.start.unsubscribe(see)
      expect(seen).toEqual([
        ['run', 'transaction', 'statement'],
        ['run', 'transaction', 'savepoint', 'statement'],
        ['run', 'transaction', 'savepoint', 'statement'],
        ['run', 'transaction', 'savepoint', 'statement'],
      ])
    })
  })

  test('a subscriber that comes while a request runs gets what begins from then on', async () => {
    const texts: string[] = []
    const late = { asyncEnd: ({ text }: { readonly text: string }) => void texts.push(text) }
    const response = await run(async () => {
      await create('A')
      channels.statement.subscribe(late)
      await create('B')
      return 'done'
    })
    channels.statement.unsubscribe(late)
    expect(response.status).toBe(200)
    expect(texts).toEqual([expect.stringMatching(/^insert/)])
  })

  test('a subscriber that throws breaks no request: the process is told', async () => {
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const told = once(process, 'uncaughtException')
    const failure = new Error('of a subscriber')
    const broken = {
      start: () => {
        channels.request.unsubscribe(broken)
        throw failure
      },
    }
    channels.request.subscribe(broken)
    try {
      expect((await api.get('/authors/')).status).toBe(200)
      expect(await told).toEqual([failure, 'uncaughtException'])
    } finally {
      for (const listener of others) process.on('uncaughtException', listener)
    }
  })
})

describe('pg: what is told of a transaction of the application', () => {
  const { api, read, create } = useActions(pgDialect)
  const events = useObservedEvents()

  test('is the savepoint that takes part in it, each statement once', async () => {
    let created: readonly string[] = []
    await read(async () => {
      await currentDb().transaction(async tx => {
        created = await api.statementsOf(() =>
          api.database.withTransaction(tx, () => create('A'), { onCommit: () => {} }),
        )
      })
    })
    expect(events.transactions.ended).toMatchObject([{ kind: 'savepoint', parent: null, outcome: 'commit' }])
    const texts = events.statements.ended.map(({ text }) => text)
    expect(texts).toEqual(['begin', ...created, 'commit'])
    expect(created).toHaveLength(3)
  })
})

describe('pg: what is told of a transaction that loses against another', () => {
  const { run } = useActions(pgDialect)
  const events = useObservedEvents()

  test('each time is an event, with its number', async () => {
    let runs = 0
    await run(async () => {
      if (++runs < 3) throw Object.assign(new Error('could not serialize access'), { code: '40001' })
    })
    expect(events.transactions.ended.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'rollback'],
      [2, 'rollback'],
      [3, 'commit'],
    ])
    expect(events.requests.failed).toEqual([])
  })

  test('one that is given up fails the request', async () => {
    const response = await run(async () => {
      throw Object.assign(new Error('could not serialize access'), { code: '40001' })
    })
    expectError(response, 503, 'The database is busy. Please try again.')
    expect(events.transactions.failed).toHaveLength(4)
    expect(events.requests.failed).toMatchObject([{ status: 503, error: { code: '40001' } }])
  })
})
