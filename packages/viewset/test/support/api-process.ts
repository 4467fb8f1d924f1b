// An API in a process of its own, started by child-api.ts as `api-process.ts <database> <busy timeout>`. A database is a
// path, an address, or several servers as JSON.
import { sql } from 'drizzle-orm'
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord, ExpressionField } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { type PostgresServers, kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import { megabytesUsed } from './memory.ts'
import { notesTable } from './notes.ts'

const [location = '', busyTimeout] = process.argv.slice(2)
const servers = location.startsWith('{') ? (JSON.parse(location) as PostgresServers) : undefined
const isPostgres = servers !== undefined || location.startsWith('postgres:')
const database = isPostgres ? postgres(servers ?? location) : sqlite(location, { busyTimeout: Number(busyTimeout) })
const kit = isPostgres ? pgKit : sqliteKit

const notes = notesTable(kit)

// The channel to the parent must not keep a process alive that is done.
const released = new Promise(resolve => process.once('message', resolve))
process.channel?.unref()

const app = Fastify(serverOptions)
app.addHook('onClose', () => database.close())
await app.register(resources, {
  prefix: '/api',
  database,
  resources: {
    notes: BulkViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, {
        fields: ['id', 'text', 'reads'],
        // Which of several servers has answered.
        ...(servers && {
          extra: { server: ExpressionField({ expression: sql`inet_server_port()`, type: 'integer' }) },
        }),
      }),
      filterFields: { text: ['exact'] },
      permissionClasses: [AllowAny],
      actions: {
        /** Writes, and ends its transaction when the parent says so. */
        hold: {
          method: 'POST',
          detail: false,
          handler: async () => {
            await createRecord(notes, { text: 'held' })
            process.send?.('holding')
            await released
            return 'released'
          },
        },
        memory: { method: 'GET', detail: false, handler: megabytesUsed },
        read: {
          method: 'POST',
          detail: true,
          handler: async view => {
            const note = await view.getObject()
            note.reads = (note.reads ?? 0) + 1
            await note.save()
            return note.reads
          },
        },
      },
    }),
  },
})

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => app.close())
process.send?.(await app.listen({ port: 0, host: '127.0.0.1' }))
