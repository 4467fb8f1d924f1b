import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, ImportableViewSet, importModel } from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveSettings } from '../../src/core/settings.ts'
import { expectError } from '../support/expect.ts'
import { models } from '../support/models.ts'
import { importForm } from '../support/multipart.ts'
import { listen, RawConnection } from '../support/raw-http.ts'

// How a body arrives has nothing to do with a database.
const tables = models(kit)
const LONG = 600_000

const authors = ImportableViewSet({
  model: tables.authors,
  serializer: BaseModelSerializer(tables.authors, { fields: ['id', 'name'] }),
  permissionClasses: [AllowAny],
  importFileConfig: {
    fileFormat: 'csv',
    order: ['authors'],
    models: { authors: importModel({ model: tables.authors, fields: ['name'], uniqueFields: ['name'] }) },
  },
})

let stored: TestDatabase
beforeAll(async () => {
  stored = await createTestDatabase({ schema: tables })
})
afterAll(() => stored.drop())

type Limits = NonNullable<ResourcesOptions['settings']>['COMMON']

describe.each([
  ['with serverOptions', serverOptions],
  ['on a Fastify of the application', {}],
])('%s, an upload', (_, server) => {
  async function withServer(limits: Limits, use: (port: number) => Promise<void>): Promise<void> {
    const app = Fastify(server)
    await app.register(resources, {
      prefix: '/api',
      database: stored.database,
      resources: { authors },
      settings: { COMMON: { BODY_TIMEOUT: LONG, UPLOAD_TIMEOUT: LONG, STALL_TIMEOUT: LONG, ...limits } },
    })
    try {
      await use(await listen(app))
    } finally {
      await app.close()
    }
  }

  const { payload, headers } = importForm('name\nAda\n')
  function begin(port: number, path = '/api/authors/import-from-file/', type = headers['content-type']) {
    const connection = new RawConnection(port)
    const length = `content-length: ${payload.length}\r\n\r\n`
    return connection.send(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${length}`)
  }
  /** The only answer to come before the connection is closed. */
  async function answerOf(connection: RawConnection) {
    await connection.closed
    const [response] = connection.responses
    if (!response) throw new Error('There is no answer.')
    return response
  }

  test('has time enough on the server', () => {
    expect(serverOptions.requestTimeout).toBeGreaterThan(resolveSettings({}, {}).COMMON.UPLOAD_TIMEOUT)
  })

  test('may take longer than any other body', async () => {
    await withServer({ BODY_TIMEOUT: 200 }, async port => {
      const connection = begin(port)
      const start = performance.now()
      let sent = 0
      while (performance.now() - start < 600) {
        connection.send(payload.toString('latin1', sent, ++sent))
        await sleep(20)
      }
      connection.send(payload.toString('latin1', sent))
      await expect.poll(() => connection.responses.map(({ status }) => status)).toEqual([201])
      connection.socket.destroy()
    })
  })

  test('that stops is 408', async () => {
    await withServer({ STALL_TIMEOUT: 200 }, async port => {
      expectError(await answerOf(begin(port).send(payload.toString('latin1', 0, 100))), 408, 'The upload stopped.')
    })
  })

  test('that never ends is 408, however steadily it comes', async () => {
    await withServer({ UPLOAD_TIMEOUT: 300 }, async port => {
      const connection = begin(port)
      let sent = 0
      const sending = setInterval(() => connection.send(payload.toString('latin1', sent, ++sent)), 20)
      expectError(await answerOf(connection), 408, 'The upload took too long.')
      clearInterval(sending)
    })
  })

  test('that is refused has no more time than any other body', async () => {
    await withServer({ BODY_TIMEOUT: 200 }, async port => {
      const connection = begin(port, undefined, 'multipart/mixed; boundary=x')
      expectError(await answerOf(connection), 415, 'Send the file as multipart/form-data.')
    })
  })

  test('is what the longer limit is for: JSON that comes slowly is 408', async () => {
    await withServer({ BODY_TIMEOUT: 200 }, async port => {
      const connection = begin(port, '/api/authors/', 'application/json').send('{"name":')
      expectError(await answerOf(connection), 408, 'The request took too long to arrive.')
      // Nor do refused bodies keep a connection.
      await begin(port, '/api/nothing/', 'application/json').send('{').closed
      await begin(port, '/api/authors/import-template/', 'application/json').send('{').closed
    })
  })
})
