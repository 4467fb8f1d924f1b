import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream'
import { resetWhenBroken } from '../http/node-server/reset-when-broken.ts'
import { closeWhenStalled } from '../http/node-server/stalled-client.ts'
import type { ApiResponse } from '../viewset/handle.ts'

/** Sends an answer; headers that the application has set already stay, where ours does not say otherwise. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ApiResponse,
  stallTimeout: number,
): void {
  const isStream = typeof body === 'object' && 'pipe' in body
  // Somebody else has answered meanwhile, or nobody is there any more: what is read for the answer is let go.
  if (response.headersSent || response.destroyed) {
    if (isStream) body.destroy()
    return
  }
  // The length of another answer: what is sent beyond it would be taken for the next one.
  response.removeHeader('content-length')
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.statusCode = status
  const watch = () => closeWhenStalled(request, response, stallTimeout, serverTimeout(request.socket))
  if (!isStream) {
    response.end(body)
    watch()
    return
  }
  watch()
  resetWhenBroken(request, body)
  // That a client has gone is no failure of the body.
  finished(response, () => body.destroy())
  // One that breaks off destroys the connection, so a client never takes a part for the whole.
  body.once('close', () => {
    if (!body.readableEnded) response.destroy()
  })
  body.pipe(response)
}

/** The limit that the socket's server has for connections on which nothing happens, in milliseconds; 0 for none. */
function serverTimeout(socket: Socket | null): number {
  const { server } = (socket ?? {}) as { readonly server?: { readonly timeout?: number } | null }
  return server?.timeout ?? 0
}
