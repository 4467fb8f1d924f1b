import assert from 'node:assert/strict'
import { expectRefusal, expectSuccess, until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'

export const closingRules: FaceRules = {
  'a server that stops finishes what is under way, and refuses what comes': context =>
    context.with({}, async api => {
      const waiting = api.sample.wait()
      const asked = api.ask('/notes/wait/')
      const file = api.connect().send(api.head('GET', '/notes/flood/'))
      try {
        await waiting.begun.promise
        await until('the file', () => file.responses.length > 0)
        file.socket.pause()
        // This request has begun to arrive.
        const late = api.connect()
        const head = api.head('GET', '/notes/')
        late.send(head.slice(0, 20))
        expectSuccess(await api.ask('/notes/'))
        let isClosed = false
        void api.close().then(() => {
          isClosed = true
        })
        // The API may need a moment to notice the abort.
        await new Promise(resolve => setTimeout(resolve, 50))
        late.send(head.slice(20))
        await late.closed
        expectRefusal(late.responses[0]!, 503, 'The server is shutting down. Please try again.')
        assert.equal(isClosed, false)
      } finally {
        // Also if the test fails: otherwise the server cannot stop.
        waiting.go()
      }
      expectSuccess(await asked)
      file.socket.destroy()
      await api.close()
    }),

  'a server that has nothing to do stops at once, whatever it has answered': context =>
    context.with({}, async api => {
      await context.store(['one'])
      for (const path of ['/pages/?paginated=false', '/notes/file/', '/notes/', '/nothing/']) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) await api.ask(path, { method })
      }
      await api.close()
      await assert.rejects(api.ask('/notes/'))
    }),

  'what left before its answer does not keep a server from stopping': context =>
    context.with({}, async api => {
      const waiting = api.sample.wait()
      const connections = [
        api.connect().send(api.head('GET', '/notes/wait/')),
        api.connect().send(api.head('GET', '/notes/flood/')),
        api.connect().send(`${api.head('POST', '/notes/', 'content-type: application/json', 'content-length: 9')}{`),
      ]
      await waiting.begun.promise
      await until('the file', () => api.sample.floods.length > 0)
      for (const { socket } of connections) socket.destroy()
      await api.close()
    }),
}
