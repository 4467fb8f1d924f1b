import assert from 'node:assert/strict'
import { expectRefusal, until } from '../expect.ts'
import type { FaceContext, FaceRules } from '../face-context.ts'
import type { Answer } from '../started-face.ts'

/** Headers that differ between responses, and headers of the transfer. */
const OF_THE_MESSAGE = ['date', 'x-request-id', 'x-error-id', 'transfer-encoding', 'connection', 'keep-alive']

function headersOf({ headers }: Answer): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MESSAGE.includes(name)))
}

async function expectSameHead(context: FaceContext, path: string): Promise<void> {
  const api = await context.api()
  const [get, head] = [await api.ask(path), await api.ask(path, { method: 'HEAD' })]
  assert.equal(head.status, get.status, path)
  assert.equal(head.text, '', path)
  assert.deepEqual(headersOf(head), headersOf(get), path)
}

/** See RFC 9110, 9. */
export const methodRules: FaceRules = {
  'a method that an address does not offer is a 405 with Allow': async context => {
    const api = await context.api()
    for (const [method, path, allow] of [
      ['DELETE', '/notes/', ['POST', 'GET', 'HEAD', 'OPTIONS']],
      ['POST', '/notes/file/', ['GET', 'HEAD', 'OPTIONS']],
      ['GET', '/notes/import-from-file/', ['POST', 'OPTIONS']],
    ] as const) {
      const answer = await api.ask(path, { method })
      expectRefusal(answer, 405)
      assert.deepEqual(String(answer.headers.allow).split(', ').toSorted(), allow.toSorted(), path)
    }
    // The body does not matter.
    expectRefusal(await api.send('DELETE', '/notes/', '{'), 405)
  },

  'OPTIONS tells the methods, without a body': async context => {
    const api = await context.api()
    const answer = await api.ask('/notes/', { method: 'OPTIONS' })
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    assert.deepEqual(String(answer.headers.allow).split(', ').toSorted(), ['GET', 'HEAD', 'OPTIONS', 'POST'])
    expectRefusal(await api.ask('/nothing/', { method: 'OPTIONS' }), 404)
  },

  'HEAD answers what GET answers, without the body': async context => {
    await context.store(['one', 'two'])
    for (const path of ['/notes/', '/notes/file/', '/notes/import-template/', '/nothing/', '/notes/crash/']) {
      await expectSameHead(context, path)
    }
    await expectSameHead(context, '/pages/?paginated=false')
  },

  'HEAD of a long answer makes none of it': async context => {
    const api = await context.api()
    for (let i = 0; i < 3; i++) assert.equal((await api.ask('/notes/flood/', { method: 'HEAD' })).status, 200)
    await until('the end of what nobody reads', () => api.sample.floods.every(({ destroyed }) => destroyed))
  },

  'a 204 has no body, and no header of one': async context => {
    const api = await context.api()
    const { id } = (await api.send('POST', '/notes/', { text: 'gone' })).data<{ id: string }>()
    const answer = await api.ask(`/notes/${id}/`, { method: 'DELETE' })
    assert.equal(answer.status, 204)
    assert.equal(answer.text, '')
    for (const name of ['content-length', 'content-type', 'transfer-encoding']) {
      assert.equal(answer.headers[name], undefined, name)
    }
  },

  'an action that needs no body gets none': async context => {
    const api = await context.api()
    assert.equal((await api.ask('/notes/echo/', { method: 'POST' })).status, 200)
    const { id } = (await api.send('POST', '/notes/', { text: 'gone' })).data<{ id: string }>()
    // Some clients announce JSON on every request.
    const headers = { 'content-type': 'application/json' }
    assert.equal((await api.ask(`/notes/${id}/`, { method: 'DELETE', headers })).status, 204)
  },
}
