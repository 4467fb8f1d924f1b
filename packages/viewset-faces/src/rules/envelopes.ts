import assert from 'node:assert/strict'
import { expectRefusal, expectSuccess } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'
import { SECRET } from '../sample-api.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every answer below the prefix is an envelope with the id of its request (docs/wire.md). */
export const envelopeRules: FaceRules = {
  'what is stored can be created, read, changed and deleted': async context => {
    const api = await context.api()
    const created = await api.send('POST', '/notes/', { text: 'Grüße' })
    expectSuccess(created, 201)
    const { id } = created.data<{ id: string }>()
    const path = `/notes/${id}/`
    assert.deepEqual((await api.ask(path)).data(), { id, text: 'Grüße' })
    assert.deepEqual((await api.send('PUT', path, { text: 'a' })).data(), { id, text: 'a' })
    assert.deepEqual((await api.send('PATCH', path, { text: 'b' })).data(), { id, text: 'b' })
    assert.equal((await api.ask(path, { method: 'DELETE' })).status, 204)
    expectRefusal(await api.ask(path), 404, 'There is no such record, or you may not see it.')
  },

  'an address that does not exist is a 404 in an envelope': async context => {
    const api = await context.api()
    for (const path of [
      '/nothing/',
      '/notes/wait/more/',
      '/notes/no-uuid/',
      '/notes//',
      `/notes/${'x'.repeat(10_000)}/`,
    ]) {
      expectRefusal(await api.ask(path), 404)
    }
    // In any direction.
    expectRefusal(await api.send('POST', '/nothing/', '{'), 404)
  },

  'what crashes tells its reason to the log only, by an id that both have': async context => {
    const api = await context.api()
    const answer = await api.ask('/notes/crash/', { headers: { 'x-request-id': 'the-crash' } })
    const errorId = String(answer.headers['x-error-id'])
    expectRefusal(answer, 500, `Something went wrong on our side. Please quote error id ${errorId}.`)
    assert.ok(!answer.text.includes(SECRET))
    const entry = api.log.find(logged => logged.errorId === errorId)
    assert.ok(entry, 'The logger that the face was given has an entry with the error id.')
    assert.equal(entry.reqId, 'the-crash')
    assert.ok((entry.err as { message?: unknown } | undefined)?.message === SECRET, 'The entry has the error.')
  },

  'an answer that no server can send is a 500 that tells its reason to the log only': async context => {
    const api = await context.api()
    for (const what of ['header', 'lines', 'name', 'status', 'type', 'refusal', 'statusOfRefusal']) {
      const answer = await api.ask(`/notes/unsendable/?what=${what}`)
      const errorId = String(answer.headers['x-error-id'])
      expectRefusal(answer, 500, `Something went wrong on our side. Please quote error id ${errorId}.`)
      const entry = api.log.find(logged => logged.errorId === errorId)
      assert.match(String((entry?.err as { message?: unknown } | undefined)?.message), /^(An answer|The header)/, what)
    }
  },

  'a request keeps the id that it comes with, if that is one': async context => {
    const api = await context.api()
    for (const path of ['/notes/', '/nothing/', '/notes/crash/', '/notes/file/', '/notes/%zz/']) {
      const answer = await api.ask(path, { headers: { 'x-request-id': 'abc-1.2:3_4' } })
      assert.equal(answer.headers['x-request-id'], 'abc-1.2:3_4', path)
    }
    for (const hostile of ['a b', '"><script>', 'x'.repeat(101), '%0d%0a', '']) {
      const answer = await api.ask('/notes/', { headers: { 'x-request-id': hostile } })
      assert.match(String(answer.headers['x-request-id']), UUID, hostile)
    }
  },

  'no answer lets pages of other sites read it': async context => {
    const api = await context.api()
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' }
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await api.ask('/notes/', { method, headers })
      assert.deepEqual(
        Object.keys(answer.headers).filter(name => name.startsWith('access-control-')),
        [],
      )
    }
  },

  'views see the request of the server, the same that authenticate has seen': async context => {
    const api = await context.api()
    assert.equal((await api.ask('/notes/native/')).data(), true)
  },

  'cookies stay apart': async context => {
    const api = await context.api()
    const answer = await api.ask('/notes/cookies/')
    expectRefusal(answer, 403, 'No cookies.')
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2; Path=/'])
  },
}
