import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
import { AllowAny, BaseModelSerializer, BaseViewSet, Database, IdToDataField, type Permission } from 'viewset'
import { createApi, type HttpApi } from 'viewset/http'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CountingDriver } from '../support/counting-driver.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed, seedUsers, users } from '../support/models.ts'
import { PlainRequest } from '../support/plain-request.ts'

// What a request costs, as numbers that depend on no machine. If a number grows, every request of every resource got
// dearer. Find the reason before you change the number.

const tables = models(sqliteDialect.kit)
const author = IdToDataField({
  queryset: tables.authors,
  serializer: BaseModelSerializer(tables.authors, { fields: ['id', 'name'] }),
})
const serializer = BaseModelSerializer(tables.articles, {
  fields: ['id', 'title', 'author', 'status', 'price', 'createdAt'],
  extra: { author },
})

/** Answers later, as a permission that asks another service. */
const IsMember: Permission = { hasPermission: async view => view.user !== null }

interface Steps {
  readonly promises: number
  readonly statements: number
  readonly contexts: number
  readonly messages: number
}

type Asked = 'retrieve' | 'list' | 'create' | 'patch'

const ID = uuid(1)
const REQUESTS: Readonly<Record<Asked, () => PlainRequest>> = {
  retrieve: () => new PlainRequest('GET', `/articles/${ID}/`),
  list: () => new PlainRequest('GET', '/articles/?page=2'),
  create: () => new PlainRequest('POST', '/articles/', { title: nextTitle(), author: uuid(1) }),
  patch: () => new PlainRequest('PATCH', `/articles/${ID}/`, { title: nextTitle() }),
}

let titles = 0
function nextTitle(): string {
  titles++
  return `Title ${titles}`
}

/** The most steps of each request: of a resource without any feature, and with a user and a permission that answer later. */
const MOST: Readonly<Record<'plain' | 'guarded', Readonly<Record<Asked, Steps>>>> = {
  plain: {
    retrieve: { promises: 21, statements: 1, contexts: 1, messages: 0 },
    list: { promises: 50, statements: 1, contexts: 1, messages: 0 },
    create: { promises: 23, statements: 1, contexts: 1, messages: 0 },
    patch: { promises: 25, statements: 1, contexts: 1, messages: 0 },
  },
  guarded: {
    retrieve: { promises: 34, statements: 1, contexts: 2, messages: 0 },
    list: { promises: 63, statements: 1, contexts: 2, messages: 0 },
    create: { promises: 36, statements: 1, contexts: 2, messages: 0 },
    patch: { promises: 38, statements: 1, contexts: 2, messages: 0 },
  },
}

let stored: TestDatabase
let driver: CountingDriver

beforeAll(async () => {
  stored = await createTestDatabase({ schema: tables })
  driver = new CountingDriver(stored.database.driver)
  const articles = Array.from({ length: 60 }, (_, at) => {
    return { id: uuid(at + 1), title: `Article ${String(at).padStart(2, '0')}`, author: uuid(1) }
  })
  await seedUsers(stored.database, tables)
  await seed(stored.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }], articles })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await stored.drop()
})

function startApi(kind: keyof typeof MOST): HttpApi {
  // In development, statements are counted for warnings.
  vi.stubEnv('NODE_ENV', 'production')
  const permissionClasses = [kind === 'plain' ? AllowAny : IsMember]
  const articles = BaseViewSet({ model: tables.articles, serializer, permissionClasses, ordering: 'title' })
  return createApi({
    database: new Database(driver),
    resources: { articles },
    ...(kind === 'guarded' && { authenticate: async () => users.ann }),
  })
}

/** The steps of a request to a warm API. Other code of the process may run meanwhile, so the fewest of several count. */
async function stepsOf(api: HttpApi, asked: Asked): Promise<Steps> {
  const seen: Steps[] = []
  for (let run = 0; run < 8; run++) {
    const request = REQUESTS[asked]()
    const before = driver.statements.length
    const contexts = vi.spyOn(AsyncLocalStorage.prototype, 'run')
    const messages = vi.spyOn(Worker.prototype, 'postMessage')
    let promises = 0
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'PROMISE') promises++
      },
    }).enable()
    const { status } = await api.answer(request)
    hook.disable()
    expect(status).toBeLessThan(300)
    const statements = driver.statements.length - before
    seen.push({ promises, statements, contexts: contexts.mock.calls.length, messages: messages.mock.calls.length })
    contexts.mockRestore()
    messages.mockRestore()
  }
  const fewest = (step: keyof Steps) => Math.min(...seen.slice(2).map(steps => steps[step]))
  return {
    promises: fewest('promises'),
    statements: fewest('statements'),
    contexts: fewest('contexts'),
    messages: fewest('messages'),
  }
}

describe.each(['plain', 'guarded'] as const)('a %s resource', kind => {
  test.each(['retrieve', 'list', 'create', 'patch'] as const)('takes no more steps than known for %s', async asked => {
    const api = startApi(kind)
    const steps = await stepsOf(api, asked)
    await api.close()
    const more = Object.entries(steps).filter(([step, count]) => count > MOST[kind][asked][step as keyof Steps])
    const grown = more.map(([step, count]) => `${step}: ${count}, was ${MOST[kind][asked][step as keyof Steps]}`)
    expect(grown, JSON.stringify(steps)).toEqual([])
  })
})
