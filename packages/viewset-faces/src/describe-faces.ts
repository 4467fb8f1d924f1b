import type { Face, TestRunner } from './face.ts'
import { FaceContext } from './face-context.ts'
import { addressRules } from './rules/addresses.ts'
import { bodyRules } from './rules/bodies.ts'
import { clientRules } from './rules/clients.ts'
import { closingRules } from './rules/closing.ts'
import { connectionRules, malformedRules } from './rules/connections.ts'
import { downloadRules } from './rules/downloads.ts'
import { envelopeRules } from './rules/envelopes.ts'
import { eventRules } from './rules/events.ts'
import { methodRules } from './rules/methods.ts'
import { slowBodyRules } from './rules/slow-bodies.ts'
import { uploadRules } from './rules/uploads.ts'

const RULES = {
  ...envelopeRules,
  ...methodRules,
  ...addressRules,
  ...bodyRules,
  ...slowBodyRules,
  ...uploadRules,
  ...downloadRules,
  ...eventRules,
  ...clientRules,
  ...connectionRules,
  ...closingRules,
}

/**
 * Tests faces: each rule becomes a test that sends requests to a small API over a socket. It works with any test
 * runner, because you pass the runner's functions. Needs the packages of a test database: `better-sqlite3` and
 * `drizzle-kit`.
 *
 * @example
 * import { after, describe, test } from 'node:test'
 * import { describeFaces } from 'viewset-faces'
 *
 * describeFaces({ describe, test, after }, {
 *   name: 'node:http',
 *   async start(options) {
 *     const handler = createHandler(options)
 *     const server = createServer(serverOptions, handler).listen(0, '127.0.0.1')
 *     await once(server, 'listening')
 *     const { port } = server.address() as AddressInfo
 *     const close = async () => {
 *       await handler.close()
 *       server.close()
 *     }
 *     return { url: `http://127.0.0.1:${port}`, close }
 *   },
 * })
 */
export function describeFaces({ describe, test, after }: TestRunner, ...faces: readonly Face[]): void {
  for (const face of faces) {
    describe(face.name, () => {
      const context = new FaceContext(face)
      after(() => context.close())
      const rules = { ...RULES, ...(face.answersMalformed && malformedRules) }
      for (const [name, check] of Object.entries(rules)) test(name, () => check(context))
    })
  }
}
