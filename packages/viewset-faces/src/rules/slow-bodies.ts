import assert from 'node:assert/strict'
import { expectRefusal, expectSuccess } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'

const LONG = 600_000
const HASTY = { settings: { COMMON: { BODY_TIMEOUT: 250, UPLOAD_TIMEOUT: LONG, STALL_TIMEOUT: LONG } } }

export const slowBodyRules: FaceRules = {
  'a body that does not come is a 408, and the connection ends': context =>
    context.with(HASTY, async api => {
      const head = api.head('POST', '/notes/', 'content-type: application/json', 'content-length: 100')
      const connection = api.connect().send(`${head}{"text":`)
      await connection.closed
      assert.equal(connection.responses.length, 1)
      expectRefusal(connection.responses[0]!, 408, 'The request took too long to arrive.')
      expectSuccess(await api.ask('/notes/'))
    }),

  'a body that is refused anyway has no more time': context =>
    context.with(HASTY, async api => {
      for (const [path, status] of [
        ['/nothing/', 404],
        ['/notes/file/', 405],
        ['/notes/import-from-file/', 401],
      ] as const) {
        const type = status === 401 ? 'multipart/form-data; boundary=x' : 'application/json'
        const connection = api.connect()
        connection.send(`${api.head('POST', path, `content-type: ${type}`, 'content-length: 100')}{`)
        await connection.closed
        assert.deepEqual(
          connection.responses.map(answer => answer.status),
          [status],
        )
        expectRefusal(connection.responses[0]!, status)
      }
    }),

  'an action may take longer than a body': context =>
    context.with(HASTY, async api => {
      const waiting = api.sample.wait()
      const asked = api.ask('/notes/wait/')
      await waiting.begun.promise
      setTimeout(() => waiting.go(), 600)
      expectSuccess(await asked)
    }),
}
