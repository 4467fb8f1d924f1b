import { once } from 'node:events'
import type { Socket } from 'node:net'
import Fastify from 'fastify'
import { resources, serverOptions } from 'viewset/fastify'
import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { listen, RawConnection } from '../support/raw-http.ts'

async function serverWithConnection(text: string) {
  const created = await createTestDatabase()
  const app = Fastify({ ...serverOptions, logger: { level: 'silent' } })
  await app.register(resources, { prefix: '/api', database: created.database, resources: {} })
  const accepted = once(app.server, 'connection') as Promise<[Socket]>
  const connection = new RawConnection(await listen(app)).send(text)
  const [socket] = await accepted
  return { app, drop: () => created.drop(), connection, socket }
}

test('a connection on which the client sent nothing does not keep a server from closing', async () => {
  const { app, drop, connection } = await serverWithConnection('')
  await app.close()
  await connection.closed
  expect(connection.responses).toEqual([])
  await drop()
})

test('a request that has begun to arrive is answered with 503, and the server closes', async () => {
  const { app, drop, connection, socket } = await serverWithConnection('GET /api/nothing/ HTTP/1.1\r\n')
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0)
  const closing = app.close()
  connection.send('Host: localhost\r\n\r\n')
  await closing
  await connection.closed
  expect(connection.responses.map(({ status }) => status)).toEqual([503])
  await drop()
})
