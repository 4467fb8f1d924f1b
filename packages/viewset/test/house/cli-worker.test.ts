import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AllowAny, BaseModelSerializer, ImportableViewSet, importModel } from 'viewset'
import { createHandler } from 'viewset/fetch'
import { folder } from 'viewset/jobs'
import { kit, sqlite } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProjectFolder } from '../support/command.ts'

const towns = kit.table('towns', { ...kit.BaseModelMixin(), name: kit.text(30).notNull().unique() })
const { jobs, jobErrors } = kit.JobTables()

const CONFIG = (url: string, files: string) => `
import { AllowAny, BaseModelSerializer, defineConfig, ImportableViewSet, importModel } from 'viewset'
import { folder } from 'viewset/jobs'
import { kit, sqlite } from 'viewset/sqlite'

const towns = kit.table('towns', { ...kit.BaseModelMixin(), name: kit.text(30).notNull().unique() })
const TownViewSet = ImportableViewSet({
  model: towns,
  serializer: BaseModelSerializer(towns, { fields: ['name'] }),
  permissionClasses: [AllowAny],
  importFileConfig: {
    fileFormat: 'csv',
    order: ['towns'],
    models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
  },
})
export default defineConfig({
  resources: { TownViewSet },
  api: { resources: { towns: TownViewSet }, jobs: { tables: kit.JobTables(), files: folder(${JSON.stringify(files)}) } },
  database: () => sqlite(${JSON.stringify(url)}),
})
`

let project: ProjectFolder
let db: TestDatabase

beforeAll(async () => {
  project = await ProjectFolder.make()
  db = await createTestDatabase({ schema: { towns, jobs, jobErrors } })
})
afterAll(async () => {
  await project.remove()
  await db.drop()
})

test('viewset worker does what a server only takes down, and stops when it is told to', async () => {
  const files = join(project.path, 'files')
  await project.write('viewset.config.ts', CONFIG(db.url, files))
  const database = sqlite(db.url)
  const handler = createHandler({
    database,
    resources: {
      towns: ImportableViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['name'] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'csv',
          order: ['towns'],
          models: { towns: importModel({ model: towns, fields: ['name'], uniqueFields: ['name'] }) },
        },
      }),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, files: folder(files), work: false },
  })
  const body = new FormData()
  body.append('file', new File(['name\nOslo\nMoss\n'], 'towns.csv'))
  body.append('append_data', 'true')
  const asked = new Request('http://localhost/towns/import-from-file/?background=true', { method: 'POST', body })
  const accepted = await handler(asked)
  expect(accepted.status).toBe(202)
  const address = String(accepted.headers.get('location'))
  const state = async () => {
    const { data } = (await (await handler(new Request(address))).json()) as { data: { state: string } }
    return data.state
  }
  expect(await state()).toBe('queued')

  const worker = project.start(['worker'])
  const told: string[] = []
  worker.stdout.setEncoding('utf8').on('data', text => told.push(text))
  worker.stderr.setEncoding('utf8').on('data', text => told.push(text))
  const ended = new Promise<number | null>(resolve => worker.on('exit', resolve))
  try {
    while ((await state()) !== 'succeeded' && worker.exitCode === null) await sleep(50)
    expect(await state()).toBe('succeeded')
    worker.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(told.join('')).toBe(
      'A worker for jobs is running. Ctrl+C stops it.\nThe worker has stopped; what was under way goes on with the next one.\n',
    )
  } finally {
    worker.kill('SIGKILL')
    await handler.close()
    await database.close()
  }
})

test('viewset worker says what its configuration lacks', async () => {
  await project.write('viewset.config.ts', 'export default { resources: {} }')
  const { code, stderr } = await project.viewset(['worker'])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'viewset.config.ts names no jobs; add to its "api": jobs: { tables: { jobs, jobErrors } }\n',
  })
})
