import { expect } from 'vitest'
import type { TestResponse } from './api.ts'

/** What of a response an envelope is looked for in. */
type Answer = Pick<TestResponse, 'status' | 'headers' | 'text'>

const CHOSEN = '00000000-0000-4000-8000-'
const started = Date.now()

/** A uuid that a test chose: it stands in expectations as it is, while others are masked as {@link ID}. */
export function uuid(n: number): string {
  return CHOSEN + String(n).padStart(12, '0')
}

/** Stands for an identifier that the API chose. */
export const ID = '<id>'
/** Stands for a time since the test file was started, with microseconds. */
export const NOW = '<now>'
/** A version that began with the time of creation. */
export const VERSION = '<version>'

export interface Success {
  readonly data: unknown
  readonly message?: string
  readonly count?: number | null
  readonly next?: string | null
  readonly previous?: string | null
}

/** The response is exactly this envelope, down to the order of its keys. */
export function expectSuccess(response: Answer, status: number, { data, message = '', ...links }: Success): void {
  const page =
    'count' in links ? { count: links.count, next: links.next ?? null, previous: links.previous ?? null } : {}
  expectEnvelope(response, status, { success: true, timestamp: NOW, message, ...page, data })
}

/** The response is exactly this error envelope; `errors` is part of it on 400 and 409 only. */
export function expectError(
  response: Answer,
  status: number,
  message: string,
  errors?: Readonly<Record<string, readonly string[]>>,
): void {
  expectEnvelope(response, status, { success: false, timestamp: NOW, message, data: null, ...(errors && { errors }) })
}

/** The address does not offer the method; the message names those of the header `Allow`. */
export function expectNotAllowed(response: Answer, method: string, suggestion = ''): void {
  const allowed = String(response.headers.allow).split(', ')
  const offered = allowed.filter(name => name !== 'HEAD' && name !== 'OPTIONS').join(', ')
  expectError(response, 405, `Method "${method}" is not allowed here. Allowed: ${offered}.${suggestion}`)
}

/** A refused payload: the message is the only error, or the number of errors. */
export function expectInvalid(response: Answer, errors: Readonly<Record<string, readonly string[]>>): void {
  const all = Object.values(errors).flat()
  const [only = ''] = all
  expectError(response, 400, all.length === 1 ? only : severalErrors(all.length), errors)
}

/** The message of an answer with several errors. */
export function severalErrors(count: number): string {
  return `The request has ${count} errors. "errors" lists them.`
}

/** The database cannot answer now, and the client may try again. */
export function expectUnavailable(
  response: Answer,
  message = 'The database is not available. Please try again.',
): void {
  expectError(response, 503, message)
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
}

/** A refused query parameter. */
export function expectBadParameter(response: Answer, name: string, message: string): void {
  expectError(response, 400, message, { [name]: [message] })
}

/** What belongs to no field. */
export function nonField(...messages: readonly string[]) {
  return { non_field_errors: messages }
}

function expectEnvelope(response: Answer, status: number, envelope: object): void {
  expect(`${response.status} ${masked(response.text)}`).toBe(`${status} ${pretty(envelope)}`)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
}

/** The text with what cannot be known masked, an entry a line: comparing it compares the order of keys as well. */
function masked(text: string): string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return text
  }
  return pretty(body)
    .replace(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, id => (id.startsWith(CHOSEN, 1) ? id : `"${ID}"`))
    .replace(/"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"/g, time =>
      isRecent(time.slice(1, -1)) ? `"${NOW}"` : time,
    )
    .replace(/(?<="_etag": )"\d{13}"/g, `"${VERSION}"`)
}

/** Within the run of the tests, give or take what two clocks may differ. */
function isRecent(time: string): boolean {
  const milliseconds = Date.parse(time)
  return milliseconds > started - 1000 && milliseconds < Date.now() + 1000
}

function pretty(body: unknown): string {
  return JSON.stringify(body, null, 2)
}
