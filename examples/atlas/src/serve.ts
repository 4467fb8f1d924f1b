import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { listenError, portFrom } from './start-error.ts'
import { type Environment, LEAVE } from './supervisor.ts'

/** Milliseconds in which the server asks clients with an open connection to use a new one. */
const FAREWELL = 3_000

/** Listens at the address of the environment until a signal arrives. Returns the address. */
export async function serve(app: FastifyInstance, env: Environment): Promise<string> {
  const port = portFrom(env)
  const host = env.HOST || '127.0.0.1'
  let isLeaving = false
  app.server.prependListener('request', (_request, response) => {
    if (isLeaving) response.setHeader('connection', 'close')
  })
  const address = await app.listen({ port, host }).catch(async error => {
    await app.close()
    throw listenError(error, host, port)
  })
  // Requests in flight are answered and new ones are rejected. Then the database is closed, and hanging requests are
  // cut off.
  const closing = closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping because of an error')
    await app.close()
  })
  process.on('message', async message => {
    if (message !== LEAVE || isLeaving) return
    isLeaving = true
    // New connections go to other processes. Fastify's own close would cut idle connections, although their next
    // request may be on its way. Until then, such a request is answered as the last one of its connection.
    Server.prototype.close.call(app.server)
    await sleep(FAREWELL)
    closing.close()
  })
  return address
}
