// Serves notes from as many processes as are asked for; started by processes.ts as `<database> <processes>`. A database
// is an address, or several servers as JSON.
import cluster from 'node:cluster'
import { once } from 'node:events'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit, type PostgresServers, postgres } from 'viewset/pg'
import { notesTable } from '../test/support/notes.ts'

const [location = '', processes] = process.argv.slice(2)

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
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  if (cluster.isPrimary) process.send?.(Number(new URL(address).port))
  process.once('SIGTERM', () => process.exit())
}
