// Many connections in a process of its own, started by crowd.ts as `crowd-process.ts <port> <connections>`.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const [port, count] = process.argv.slice(2).map(Number) as [number, number]
const REQUEST = 'GET /api/notes/?page_size=1 HTTP/1.1\r\nhost: x\r\n\r\n'
/** Fewer at a time than the system keeps waiting for a server to accept them. */
const STEP = 200

const sockets: Socket[] = []

/** Sends a request on each connection and counts the statuses of the answers; 0 for a connection that ends. */
async function ask(asked: readonly Socket[]): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  const answers = asked.map(async socket => {
    const closed = new AbortController()
    const end = () => closed.abort()
    socket.once('close', end)
    const [text] = socket.destroyed ? ['HTTP/1.1 0'] : await answer(socket, closed.signal)
    socket.off('close', end)
    const status = Number(String(text).split(' ', 2)[1])
    statuses[status] = (statuses[status] ?? 0) + 1
  })
  await Promise.all(answers)
  return statuses
}

function answer(socket: Socket, signal: AbortSignal): Promise<unknown[]> {
  const answered = once(socket, 'data', { signal }).catch(() => ['HTTP/1.1 0'])
  socket.write(REQUEST)
  return answered
}

for (let opened = 0; opened < count; opened += STEP) {
  const added = Array.from({ length: Math.min(STEP, count - opened) }, () => connect({ port, host: '127.0.0.1' }))
  await Promise.all(added.map(socket => once(socket, 'connect')))
  for (const socket of added) socket.on('error', () => {})
  const { 200: answered } = await ask(added)
  if (answered !== added.length) throw new Error(`Of ${added.length} connections, ${answered} were answered.`)
  sockets.push(...added)
}
process.on('message', async () => process.send?.(await ask(sockets)))
process.send?.('connected')
