import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Closes the connection of a client that takes nothing of its answer for `timeout` milliseconds: what is being read for
 * it is held for nobody. To be asked once the answer is on its way: of one that the system has taken, nothing is held.
 *
 * @param ofServer the server's own limit for a connection on which nothing happens; 0 for none
 */
export function closeWhenStalled(
  request: IncomingMessage,
  response: ServerResponse,
  timeout: number,
  ofServer: number,
): void {
  if (response.writableEnded && response.writableLength === 0) return
  const { socket } = request
  // An injected request has no connection, and an application may have a shorter limit of its own.
  if (typeof socket?.setTimeout !== 'function' || (ofServer > 0 && ofServer <= timeout)) return
  response.setTimeout(timeout, () => {
    // Else it is the client who waits, for what we have not made yet.
    if (response.writableLength > 0) response.destroy()
  })
  // The next request on this connection may take longer, and may be there already. What Node sets for connections that
  // are idle comes after this.
  if (request.httpVersionMajor < 2) response.prependOnceListener('finish', () => socket.setTimeout(ofServer))
}
