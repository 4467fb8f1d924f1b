import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * Lets a client of HTTP/1.0 see that an answer broke off, as nginx is one where nothing else is configured. There, the
 * end of the connection is the end of an answer without a length, so the connection must not end as others do.
 */
export function resetWhenBroken({ httpVersion, socket }: IncomingMessage, body: Readable): void {
  if (httpVersion !== '1.0') return
  body.prependOnceListener('error', () => {
    try {
      socket.resetAndDestroy()
    } catch {
      // Only TCP can. What closes the connection comes behind this.
    }
  })
}
