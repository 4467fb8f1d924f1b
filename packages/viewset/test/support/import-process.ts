// An import that a test can kill: told its database, file and chunkSize, it tells how far it is.
import { once } from 'node:events'
import { ImportService } from 'viewset'
import { kit as pgKit, postgres } from 'viewset/pg'
import { sqlite, kit as sqliteKit } from 'viewset/sqlite'
import { atlasModels, geography } from './import-models.ts'

const [dialect, url, path, chunkSize] = process.argv.slice(2) as [string, string, string, string]
const database = dialect === 'pg' ? postgres(url) : sqlite(url)
const { countries } = atlasModels(geography(dialect === 'pg' ? pgKit : sqliteKit))
const service = new ImportService(
  { fileFormat: 'csv', order: ['countries'], models: { countries }, chunkSize: Number(chunkSize) },
  {
    database,
    onProgress: async processed => {
      process.send?.(processed)
      // It goes on when the other process says so, or is killed here.
      await once(process, 'message')
    },
  },
)
await service.import(path, { append: true })
await database.close()
