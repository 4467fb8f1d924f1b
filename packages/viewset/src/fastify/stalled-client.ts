import type { FastifyReply } from 'fastify'

/**
 * Closes the connection of a client that takes nothing of its answer for `timeout` milliseconds: what is being read for
 * it is held for nobody.
 */
export function closeWhenStalled({ raw, request, server: { server } }: FastifyReply, timeout: number): void {
  const { socket } = request.raw
  // An injected request has no connection, and an application may have a shorter limit of its own.
  if (typeof socket?.setTimeout !== 'function' || (server.timeout > 0 && server.timeout <= timeout)) return
  raw.setTimeout(timeout, () => {
    // Else it is the client who waits, for what we have not made yet.
    if (raw.writableLength > 0) raw.destroy()
  })
  // The next request on this connection may take longer, and may be there already. What Node sets for connections that
  // are idle comes after this.
  if (request.raw.httpVersionMajor < 2) raw.prependOnceListener('finish', () => socket.setTimeout(server.timeout))
}
