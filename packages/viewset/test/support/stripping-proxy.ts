import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that shows a server at a path of its own, of which the server is told nothing. Closes with `close()`. */
export async function stripPath(path: string, target: string): Promise<{ address: string; server: Server }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const forwarded = request(target + url.slice(path.length), { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, server }
}
