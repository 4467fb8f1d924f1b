import { expect, test } from 'vitest'
import { explain } from '../templates/base/src/explain.ts'

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code, port: 3000 })

test.each([
  ['EADDRINUSE', 'listen', 'Port 3000 is taken. Choose another one, as in: PORT=3001 npm start'],
  ['ECONNREFUSED', 'connect', 'No database answers at DATABASE_URL. README.md says how to start one.'],
  ['3D000', 'database "shop" does not exist', 'DATABASE_URL is not right: database "shop" does not exist.'],
  ['28P01', 'password authentication failed', 'DATABASE_URL is not right: password authentication failed.'],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db', 'DATABASE_URL is not right: getaddrinfo ENOTFOUND db.'],
])('a start that fails with %s is told in a sentence', (code, message, sentence) => {
  expect(explain(failure(message, code))).toBe(sentence)
})

test('any other error has its stack', () => {
  const error = failure('a mistake')
  expect(explain(error)).toBe(error.stack)
})
