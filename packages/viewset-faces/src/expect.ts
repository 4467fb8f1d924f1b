import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './started-face.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
/** Milliseconds that an operation may take on a busy machine. */
const PATIENCE = 15_000

/** The order of the keys counts too. */
export function expectRefusal(answer: Answer, status: number, message?: string): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  assert.equal(answer.headers['content-type'], JSON_TYPE)
  const { errors, ...envelope } = answer.envelope()
  assert.deepEqual(Object.keys(envelope), ['success', 'timestamp', 'message', 'data'])
  assert.equal(envelope.success, false)
  assert.equal(envelope.data, null)
  assert.match(envelope.timestamp, TIME)
  assert.ok(envelope.message.length > 0, 'An error says what is wrong.')
  if (message !== undefined) assert.equal(envelope.message, message)
  assert.equal(errors !== undefined, status === 400 || status === 409, 'Only what is not valid names fields.')
}

export function expectSuccess(answer: Answer, status = 200): void {
  assert.equal(answer.status, status, answer.text.slice(0, 500))
  assert.equal(answer.headers['content-type'], JSON_TYPE)
  assert.equal(answer.envelope().success, true)
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!(await holds())) {
    if (performance.now() > end) assert.fail(`This never came: ${what}.`)
    await sleep(10)
  }
}
