import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const closers = new WeakMap<object, () => void>()

/**
 * Returns a function that closes the connections on which the client has sent nothing.
 *
 * `server.close()` waits for them until `headersTimeout`, a minute by default: `closeIdleConnections` of Node closes only
 * those that have had a request. Browsers and `fetch` open such connections in advance.
 */
export function unusedConnectionsOf(server: Pick<Server, 'on'>): () => void {
  const known = closers.get(server)
  if (known) return known
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const close = () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
  closers.set(server, close)
  return close
}
