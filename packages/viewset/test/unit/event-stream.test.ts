import { currentUser, type EventStream, runAs, type ServerSentEvent } from 'viewset'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventBody, eventText } from '../../src/viewset/answer/event-stream.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A body, and what has come of it so far. */
function reading(events: EventStream['events']) {
  const body = new EventBody(events)
  const read = { body, text: '', error: undefined as unknown }
  body.on('data', chunk => {
    read.text += chunk
  })
  body.on('error', error => {
    read.error = error
  })
  return read
}

const settled = () => vi.advanceTimersByTimeAsync(0)

test('a comment keeps a connection over which nothing comes', async () => {
  const happens = Promise.withResolvers<ServerSentEvent>()
  const read = reading(async function* () {
    yield await happens.promise
    await new Promise(() => {})
  })
  await vi.advanceTimersByTimeAsync(44_000)
  expect(read.text).toBe(':\n\n'.repeat(3))
  happens.resolve({ data: 1 })
  await settled()
  expect(read.text).toBe(`${':\n\n'.repeat(3)}data: 1\n\n`)
  read.body.destroy()
  expect(vi.getTimerCount()).toBe(0)
})

test('nobody gets comments who does not read', async () => {
  const body = new EventBody(async function* () {
    await new Promise(() => {})
  })
  body.read(0)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(String(body.read())).toBe(':\n\n')
  body.destroy()
})

test('nothing begins before somebody reads', async () => {
  const events = vi.fn()
  new EventBody(events).destroy()
  await settled()
  expect(events).not.toHaveBeenCalled()
})

test('the signal aborts when the stream ends, whoever ended it; what fails with it is no error', async () => {
  const signals: AbortSignal[] = []
  const waiting = async function* (signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    signals.push(signal)
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const left = reading(waiting)
  const stopped = reading(waiting)
  await settled()
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  left.body.destroy()
  stopped.body.stop()
  stopped.body.stop()
  await settled()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(stopped.text).toMatch(/^:\n\nretry: \d{4}\n\n$/)
  expect([left.error, stopped.error]).toEqual([undefined, undefined])
})

test('an error of the events breaks the answer off', async () => {
  const read = reading(async function* () {
    yield { data: 1 }
    throw new Error('the database is away')
  })
  await settled()
  expect(read.text).toBe(':\n\ndata: 1\n\n')
  expect(read.error).toEqual(new Error('the database is away'))
})

test('events are made in the context of their request', async () => {
  const users: unknown[] = []
  const events = async function* () {
    for (let i = 0; i < 2; i++) {
      users.push(currentUser())
      yield { data: i }
    }
  }
  const body = runAs({ id: 'ann' }, () => new EventBody(events))
  body.resume()
  await settled()
  expect(users).toEqual([{ id: 'ann' }, { id: 'ann' }])
})

test.each<[ServerSentEvent, string]>([
  [{ data: { a: 1, b: 'x\ny' } }, 'data: {"a":1,"b":"x\\ny"}\n\n'],
  [{ data: 'a\r\nb\rc\n' }, 'data: a\ndata: b\ndata: c\ndata: \n\n'],
  [{ data: '' }, 'data: \n\n'],
  [{ data: null }, 'data: null\n\n'],
  [{ data: undefined }, 'data: null\n\n'],
  [{ data: 1, id: '', event: 'progress', retry: 10.7 }, 'event: progress\nid: \nretry: 10\ndata: 1\n\n'],
])('%j is sent as %j', (event, text) => {
  expect(eventText(event)).toBe(text)
})

test.each(['a\nb', 'a\rdata: 1', 'a\0'])('neither a name nor an id has more lines than one: %j', value => {
  expect(() => eventText({ data: 1, id: value })).toThrow(`The id of an event cannot be ${JSON.stringify(value)}.`)
  expect(() => eventText({ data: 1, event: value })).toThrow('The event of an event cannot be')
})
