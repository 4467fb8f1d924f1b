import { once } from 'node:events'
import Fastify from 'fastify'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { listen, RawConnection } from '../support/raw-http.ts'

test('a connection on which the client sent nothing does not keep a server from closing', async () => {
  const created = await createTestDatabase()
  const app = Fastify({ ...serverOptions, logger: { level: 'silent' } })
  await app.register(resources, { prefix: '/api', database: created.database, resources: {} })
  const accepted = once(app.server, 'connection')
  const connection = new RawConnection(await listen(app))
  await accepted
  await app.close()
  await connection.closed
  expect(connection.responses).toEqual([])
  await created.drop()
})
