import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { errorEnvelope } from '../../core/envelope.ts'
import { ApiError } from '../../core/errors.ts'

const EXPECTATION_FAILED = new ApiError(417, 'expectation_failed', 'Only "Expect: 100-continue" can be met.')

/** Answers an `Expect` that is not `100-continue` (RFC 9110, 10.1.1), which Node does without a body. */
export function answerExpectations(server: Pick<Server, 'on' | 'listenerCount'>): void {
  if (server.listenerCount('checkExpectation') > 0) return
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const body = errorEnvelope(EXPECTATION_FAILED)
    response
      .writeHead(EXPECTATION_FAILED.status, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  })
}
