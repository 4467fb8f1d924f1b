import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port on 127.0.0.1 at which no server listens. It is below the ports that systems give to outgoing connections. One of
 * those could take it before it is used, or while a server restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer()
    const isFree = await once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    probe.close()
    if (isFree) return port
  }
}
