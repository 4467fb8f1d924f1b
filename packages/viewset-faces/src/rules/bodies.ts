import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { expectRefusal, expectSuccess, until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'

/** Above the limit of 1 MB. */
const TOO_LARGE = 1024 ** 2 + 1
const JSON_TYPE = 'content-type: application/json'

export const bodyRules: FaceRules = {
  'a body that is no JSON is a 400': async context => {
    const api = await context.api()
    for (const body of ['{', '{"text":"a"} x', 'text', '', '{"text": NaN}', '{"text":1e999}', '['.repeat(5_000)]) {
      expectRefusal(await api.send('POST', '/notes/', body), 400)
    }
  },

  'a body that is not UTF-8, or has what no database keeps, is a 400': async context => {
    const api = await context.api()
    const headers = { 'content-type': 'application/json' }
    const body = Buffer.from('{"text":"\xff"}', 'latin1')
    expectRefusal(await api.ask('/notes/', { method: 'POST', headers, body }), 400)
    for (const text of ['"a\\u0000"', '"\\ud800"']) {
      expectRefusal(await api.send('POST', '/notes/', `{"text":${text}}`), 400)
    }
  },

  'a body of another type, or of none, is a 415': async context => {
    const api = await context.api()
    const body = Buffer.from('{"text":"a"}')
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      undefined,
    ]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      expectRefusal(await api.ask('/notes/', { method: 'POST', headers, body }), 415)
    }
  },

  'JSON may say that it is UTF-8, and nothing else': async context => {
    const api = await context.api()
    const send = (type: string) => api.send('POST', '/notes/', { text: 'a' }, { 'content-type': type })
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"']) {
      expectSuccess(await send(type), 201)
    }
    for (const type of ['application/json; charset=latin1', 'application/json; charset=utf-16']) {
      expectRefusal(await send(type), 415)
    }
  },

  'a body that is compressed is a 415, which says what to send instead': async context => {
    const api = await context.api()
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const answer = await api.ask('/notes/', { method: 'POST', headers, body: gzipSync('{"text":"a"}') })
    expectRefusal(answer, 415, 'Send the body as it is, without content-encoding.')
    assert.equal(answer.headers['accept-encoding'], 'identity')
  },

  'a body that is too large is a 413, and the connection can go on or ends': async context => {
    const api = await context.api()
    const text = JSON.stringify({ text: 'x'.repeat(TOO_LARGE) })
    const [length, chunked] = await Promise.all([
      api.send('POST', '/notes/', text),
      api.ask('/notes/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new Blob([text]).stream(),
        duplex: 'half',
      } as RequestInit),
    ])
    expectRefusal(length, 413, 'The body is too large. The limit is 1 MB.')
    expectRefusal(chunked, 413, 'The body is too large. The limit is 1 MB.')
    expectSuccess(await api.send('POST', '/notes/', { text: 'small' }), 201)
  },

  'a body that says it is too large is a 413 before it comes': async context => {
    const api = await context.api()
    const connection = api.connect().send(api.head('POST', '/notes/', JSON_TYPE, `content-length: ${TOO_LARGE}`))
    await until('an answer', () => connection.responses.length > 0)
    expectRefusal(connection.responses[0]!, 413, 'The body is too large. The limit is 1 MB.')
    connection.socket.destroy()
  },

  'a body that is cut off stores nothing': async context => {
    const api = await context.api()
    await context.store([])
    // The part that has arrived is valid JSON.
    for (const framing of [
      'content-length: 100\r\n\r\n{"text":"half"}',
      'transfer-encoding: chunked\r\n\r\nf\r\n{"text":"half"}\r\n',
    ]) {
      const connection = api.connect()
      connection.socket.end(`${api.head('POST', '/notes/', JSON_TYPE).slice(0, -2)}${framing}`)
      await connection.closed
      assert.ok(connection.responses.every(({ status }) => status === 400))
    }
    assert.deepEqual((await api.ask('/notes/')).data(), [])
  },
}
