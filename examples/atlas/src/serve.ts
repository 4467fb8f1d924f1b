import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { FastifyInstance } from 'fastify'
import { listenError, portFrom } from './start-error.ts'
import { type Environment, LEAVE } from './supervisor.ts'

/** Milliseconds in which clients that keep their connection are told to take another one. */
const FAREWELL = 3_000

/** Listens as the environment says, until a signal comes. Returns the address. */
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
  // Requests in flight are answered, new ones are refused, then the database is closed; what hangs is cut off.
  const closing = closeWithGrace({ delay: 10_000 }, async ({ err }) => {
    if (err) app.log.error({ err }, 'stopping because of an error')
    await app.close()
  })
  process.on('message', async message => {
    if (message !== LEAVE || isLeaving) return
    isLeaving = true
    // New connections go to others. Fastify's own close would cut those that wait for their next request, which may be
    // on its way; until then it is answered, as the last one on its connection.
    Server.prototype.close.call(app.server)
    await sleep(FAREWELL)
    closing.close()
  })
  return address
}
