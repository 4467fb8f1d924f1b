import type { FastifyInstance } from 'fastify'
import type { TestResponse } from 'viewset/testing'
import { RawConnection } from '../../../viewset-faces/src/raw-connection.ts'

export { RawConnection }

/** The only response to `text`, after which the server must close the connection. */
export async function askRaw(port: number, text: string): Promise<TestResponse> {
  const connection = new RawConnection(port).send(text)
  await connection.closed
  const [response, ...more] = connection.responses
  if (!response || more.length > 0) throw new Error(`There are ${more.length + 1} responses.`)
  return response
}

/** Starts listening and returns the port. */
export async function listen(app: FastifyInstance): Promise<number> {
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}
