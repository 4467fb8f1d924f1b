import assert from 'node:assert/strict'
import { expectRefusal, expectSuccess, until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'

const GARBAGE = 'NO HTTP AT ALL\r\n\r\n'

export const connectionRules: FaceRules = {
  'requests that come together are answered in their order': async context => {
    const api = await context.api()
    const post = (path: string, body: string) =>
      api.head('POST', path, 'content-type: application/json', `content-length: ${body.length}`) + body
    const connection = api
      .connect()
      .send(post('/notes/', '{"text":"a"}') + api.head('GET', '/nothing/'))
      .send(post('/nothing/', '{"text":"b"}') + post('/notes/', '{"text":"c"}'))
      .send(api.head('DELETE', '/notes/') + api.head('GET', '/notes/', 'connection: close'))
    await connection.closed
    assert.deepEqual(
      connection.responses.map(({ status }) => status),
      [201, 404, 404, 201, 405, 200],
    )
  },

  'a 204 is followed by the next answer': async context => {
    const api = await context.api()
    const { id } = (await api.send('POST', '/notes/', { text: 'gone' })).data<{ id: string }>()
    const connection = api
      .connect()
      .send(api.head('DELETE', `/notes/${id}/`) + api.head('OPTIONS', '/notes/'))
      .send(api.head('HEAD', '/notes/') + api.head('GET', '/nothing/', 'connection: close'))
    await connection.closed
    assert.deepEqual(
      connection.responses.map(({ status }) => status),
      [204, 204, 200, 404],
    )
    expectRefusal(connection.responses[3]!, 404)
  },

  'a server lives on after what is no HTTP': async context => {
    const api = await context.api()
    for (const text of [
      GARBAGE,
      api.head('GET', '/notes/') + GARBAGE,
      'GET / HTTP/9.9\r\n\r\n',
      `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      api.head('POST', '/notes/', 'content-length: 5', 'transfer-encoding: chunked'),
      api.head('POST', '/notes/', 'content-type: application/json', 'transfer-encoding: chunked').concat('zz\r\n'),
    ]) {
      const connection = api.connect().send(text)
      await connection.closed
      const last = connection.responses.at(-1)
      assert.ok(last === undefined || last.status >= 400, text.slice(0, 50))
    }
    expectSuccess(await api.ask('/notes/'))
  },
}

/** Only for servers that `prepareServer` has prepared. */
export const malformedRules: FaceRules = {
  'what is no HTTP is a 400 in an envelope, and the connection ends': async context => {
    const api = await context.api()
    const connection = api.connect().send(GARBAGE)
    await connection.closed
    assert.equal(connection.responses.length, 1)
    expectRefusal(connection.responses[0]!, 400, 'The request is not valid HTTP.')
  },

  'headers that are too large are a 431 in an envelope': async context => {
    const api = await context.api()
    const connection = api.connect().send(api.head('GET', '/notes/', `x-large: ${'x'.repeat(100_000)}`))
    await connection.closed
    expectRefusal(connection.responses[0]!, 431)
  },

  'an expectation that cannot be met is a 417 in an envelope': async context => {
    const api = await context.api()
    const connection = api.connect().send(api.head('GET', '/notes/', 'expect: a-miracle'))
    await until('an answer', () => connection.responses.length > 0)
    expectRefusal(connection.responses[0]!, 417)
    connection.socket.destroy()
  },

  'links start with the Host header, also if the request line names another host': async context => {
    const api = await context.api()
    await context.store(['one', 'two'])
    const { host, pathname } = new URL(api.url)
    const ask = async (named: string) => {
      const line = `GET http://${named}${pathname}/notes/?page_size=1 HTTP/1.1`
      const connection = api.connect().send(`${line}\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      await connection.closed
      return connection.responses[0]!
    }
    const answer = await ask('evil.example')
    expectSuccess(answer)
    assert.equal(answer.envelope().next, `${api.url}/notes/?page_size=1&page=2`)
    for (const named of ['user@evil.example', 'user:password@evil.example:99']) expectRefusal(await ask(named), 400)
  },
}
