import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'
import type { StartedFace } from '../started-face.ts'

/** More than sockets keep for a client that does not read. */
const LARGE = 'x'.repeat(1024 ** 2)

/** A response that is still arriving. */
class Incoming {
  text = ''
  /** Rejects if the response broke off. */
  readonly ended: Promise<void>
  readonly headers: Headers
  readonly #leaving: AbortController

  static async of(api: StartedFace): Promise<Incoming> {
    const leaving = new AbortController()
    const init = { headers: { accept: 'text/event-stream' }, signal: leaving.signal }
    const response = await fetch(`${api.url}/notes/events/`, init)
    assert.equal(response.status, 200)
    return new Incoming(response, leaving)
  }

  private constructor({ headers, body }: Response, leaving: AbortController) {
    this.headers = headers
    this.#leaving = leaving
    this.ended = this.#read(body)
    // Code that waits for `ended` gets the error.
    this.ended.catch(() => {})
  }

  leave(): void {
    this.#leaving.abort()
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of body ?? []) this.text += decoder.decode(chunk, { stream: true })
  }
}

export const eventRules: FaceRules = {
  'the head of an event stream comes before its first event, and each event when it happens': async context => {
    const api = await context.api()
    const events = api.sample.events()
    const incoming = await Incoming.of(api)
    assert.equal(incoming.headers.get('content-type'), 'text/event-stream')
    assert.equal(incoming.headers.get('cache-control'), 'no-store, no-transform')
    assert.equal(incoming.headers.get('x-accel-buffering'), 'no')
    assert.equal(incoming.headers.get('x-content-type-options'), 'nosniff')
    await until('a comment', () => incoming.text === ':\n\n')
    events.send({ data: { text: 'Grüße' }, event: 'note', id: '7', retry: 1500 })
    const first = ':\n\nevent: note\nid: 7\nretry: 1500\ndata: {"text":"Grüße"}\n\n'
    await until('the first event', () => incoming.text === first)
    events.send({ data: 'two\nlines' }, null)
    await incoming.ended
    assert.equal(incoming.text, `${first}data: two\ndata: lines\n\n`)
  },

  'an event stream ends with its client': async context => {
    const api = await context.api()
    const events = api.sample.events()
    const incoming = await Incoming.of(api)
    await events.begun.promise
    incoming.leave()
    await events.aborted.promise
  },

  'HEAD of an event stream has its headers, and begins nothing': async context => {
    const api = await context.api()
    const events = api.sample.events()
    const answer = await api.ask('/notes/events/', { method: 'HEAD' })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'text/event-stream')
    assert.equal(answer.headers['cache-control'], 'no-store, no-transform')
    assert.equal(events.asked, 0)
  },

  'a client that gets no events for longer than STALL_TIMEOUT gets the next one': context =>
    context.with({ settings: { COMMON: { STALL_TIMEOUT: 200 } } }, async api => {
      const events = api.sample.events()
      const incoming = await Incoming.of(api)
      await events.begun.promise
      await sleep(700)
      events.send({ data: 'late' }, null)
      await incoming.ended
      assert.equal(incoming.text, ':\n\ndata: late\n\n')
    }),

  'a client that takes no events for STALL_TIMEOUT is given up': context =>
    context.with({ settings: { COMMON: { STALL_TIMEOUT: 500 } } }, async api => {
      const events = api.sample.events()
      const connection = api.connect()
      connection.socket.pause()
      connection.send(api.head('GET', '/notes/events/'))
      events.send(...Array.from({ length: 64 }, () => ({ data: LARGE })))
      await events.aborted.promise
      assert.ok(events.asked < 60, 'What nobody reads is not made.')
      connection.socket.destroy()
    }),

  'a server that stops ends event streams, and says when to come again': context =>
    context.with({}, async api => {
      const events = api.sample.events()
      const incoming = await Incoming.of(api)
      await until('a comment', () => incoming.text === ':\n\n')
      await api.close()
      await incoming.ended
      assert.match(incoming.text, /^:\n\nretry: [1-5]\d{3}\n\n$/)
      await events.aborted.promise
    }),
}
