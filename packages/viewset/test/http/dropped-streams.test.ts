import Fastify, { type FastifyInstance } from 'fastify'
import { AllowAny, BaseModelSerializer, BaseViewSet, insertMany } from 'viewset'
import { resources as plugin, serverOptions } from 'viewset/fastify'
import { afterEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models } from '../support/models.ts'

const ROWS = 5_000
/** More than there are turns for long answers. */
const ASKED = 12

describeDialects('a long answer that is never sent gives back what it holds', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  let itemsMade = 0
  const extra = {
    filler: () => {
      itemsMade++
      return 'x'.repeat(100)
    },
  }
  const resources = {
    authors: BaseViewSet({
      model: authors,
      serializer: BaseModelSerializer(authors, { fields: ['id', 'name'], extra }),
      permissionClasses: [AllowAny],
    }),
  }
  const api = useApi(dialect, { tables, resources })
  let app: FastifyInstance
  afterEach(() => app.close())

  async function start(prepare: (app: FastifyInstance) => unknown = () => {}): Promise<void> {
    const rows = Array.from({ length: ROWS }, (_, i) => ({ name: `a${i}` }))
    await api.database.transaction(() => insertMany(authors, rows))
    app = Fastify(serverOptions)
    prepare(app)
    await app.register(plugin, {
      database: api.database,
      resources,
      openapi: { errors: { 403: 'A hook refuses it.' } },
    })
  }
  const askOften = async (method: 'GET' | 'HEAD' = 'GET') => {
    const statuses = new Set<number>()
    for (let i = 0; i < ASKED; i++) {
      statuses.add((await app.inject({ method, url: '/authors/?paginated=false' })).statusCode)
    }
    return [...statuses]
  }
  const expectFree = async () =>
    expect((await api.get('/authors/?paginated=false')).data<readonly unknown[]>()).toHaveLength(ROWS)

  test('because a hook refuses it', async () => {
    await start(app =>
      app.addHook('onSend', async (_request, _reply, payload) => {
        if (typeof payload !== 'string') throw Object.assign(new Error('Not today.'), { statusCode: 403 })
      }),
    )
    expect(await askOften()).toEqual([403])
    await expectFree()
  })

  test('because a hook answers something else', async () => {
    allowUndescribed(/SyntaxError/, 'It is the hook that answers.')
    await start(app => app.addHook('onSend', async () => 'something else'))
    expect(await askOften()).toEqual([200])
    await expectFree()
  })

  test('because only its head was asked for, and is not made either', async () => {
    await start()
    itemsMade = 0
    expect(await askOften('HEAD')).toEqual([200])
    expect(itemsMade).toBeLessThan((ASKED * ROWS) / 2)
    await expectFree()
  })
})
