// An API in a process of its own, started by child-api.ts as `api-process.ts <database> <busy timeout>`.
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import { notesTable } from './notes.ts'

const [location = '', busyTimeout] = process.argv.slice(2)
const isPostgres = location.startsWith('postgres:')
const database = isPostgres ? postgres(location) : sqlite(location, { busyTimeout: Number(busyTimeout) })
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
      serializer: BaseModelSerializer(notes, { fields: ['id', 'text', 'reads'] }),
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
