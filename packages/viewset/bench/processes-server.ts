// Serves notes from as many processes as are asked for; started by processes.ts as `<database> <processes> [by-hand]`. A
// database is an address, or several servers as JSON.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import pg from 'pg'
import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit, type PostgresServers, postgres } from 'viewset/pg'
import { notesTable } from '../test/support/notes.ts'

const [location = '', processes, how] = process.argv.slice(2)

if (cluster.isPrimary && processes !== '1') {
  let port: number | undefined
  for (let i = 0; i < Number(processes); i++) {
    // Those that ask for any port get the same one.
    const [address] = await once(cluster.fork(), 'listening')
    port = address.port
  }
  process.send?.(port)
  process.once('SIGTERM', () => process.exit())
} else {
  const port = await (how === 'by-hand' ? serveByHand() : serve())
  if (cluster.isPrimary) process.send?.(port)
  process.once('SIGTERM', () => process.exit())
}

async function serve(): Promise<number> {
  const notes = notesTable(kit)
  const database = postgres(location.startsWith('{') ? (JSON.parse(location) as PostgresServers) : location)
  const app = Fastify(serverOptions)
  await app.register(resources, {
    prefix: '/api',
    database,
    resources: {
      notes: BaseViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text', 'reads'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

/** What a second process costs anybody: the same three requests on node:http and the driver, without a check. */
async function serveByHand(): Promise<number> {
  const pool = new pg.Pool({ connectionString: location, max: 10 })
  const ask = async (name: string, text: string, values: unknown[]) =>
    (await pool.query({ name, text, values })).rows as unknown[]
  const server = createServer(async (request, response) => {
    const id = request.url?.split('/')[3] ?? ''
    let body = ''
    for await (const chunk of request) body += chunk
    const rows =
      request.method === 'PATCH'
        ? await ask('update', 'update notes set text = $2 where id = $1 returning *', [id, JSON.parse(body).text])
        : id === ''
          ? [
              await ask('count', 'select count(*) from notes', []),
              await ask('list', 'select * from notes limit 20', []),
            ]
          : await ask('retrieve', 'select * from notes where id = $1', [id])
    const text = JSON.stringify({ success: true, timestamp: new Date(), message: '', data: rows })
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
