import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

interface MovingAddress {
  readonly port: number
  /** Cuts what is connected, and leads to another port from now on. */
  move(port: number): void
  close(): void
}

/** An address that leads to one server and, after a failover, to another: what a load balancer or a virtual IP is. */
export async function movingAddress(first: number): Promise<MovingAddress> {
  let target = first
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const listener = createServer(client => {
    const server = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      keep(one)
      one.pipe(other)
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (typeof address !== 'object' || !address) throw new Error('No free port')
  return {
    port: address.port,
    move(port) {
      target = port
      cut()
    },
    close() {
      listener.close()
      cut()
    },
  }
}
