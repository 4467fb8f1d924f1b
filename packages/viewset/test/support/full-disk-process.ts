// Imports a file over HTTP where files cannot grow: `full-disk-process.ts <megabytes>`, with a limit of the shell's.
import Fastify from 'fastify'
import { AllowAny, BaseModelSerializer, ImportableViewSet, importModel } from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { importForm } from './multipart.ts'
import { notesTable } from './notes.ts'

const notes = notesTable(kit)
const { database, drop } = await createTestDatabase({ schema: { notes } })
const logged: string[] = []
const app = Fastify({ ...serverOptions, logger: { level: 'error', stream: { write: line => void logged.push(line) } } })
await app.register(resources, {
  prefix: '/api',
  database,
  resources: {
    notes: ImportableViewSet({
      model: notes,
      serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['notes'],
        models: { notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'] }) },
      },
    }),
  },
})
const form = importForm(`text\n${'x\n'.repeat(Number(process.argv[2]) * 512 * 1024)}`)
const { statusCode, headers, body } = await app.inject({ method: 'POST', url: '/api/notes/import-from-file/', ...form })
await app.close()
await drop()
console.log(JSON.stringify({ status: statusCode, headers, body, logged }))
