import { AllowAny, BaseModelSerializer, BulkImportableViewSet, currentDb, importModel, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { mortalDialect } from '../support/mortal-dialect.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('a process that is killed between any two statements', of => {
  const c = of.kit
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    text: c.text(20).notNull().unique(),
    ...c.VersionMixin(),
  })
  const { notesHistory } = c.HistoryTable(notes)
  const { idempotencyKeys } = c.IdempotencyTable()
  const jobTables = c.JobTables()
  const mortal = mortalDialect(of)
  const api = useApi(mortal.dialect, {
    tables: { notes, notesHistory, idempotencyKeys, ...jobTables },
    users: { ann: { id: 'ann' } },
    idempotency: { table: idempotencyKeys },
    jobs: { tables: jobTables, files: new MemoryJobFiles() },
    resources: {
      notes: BulkImportableViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses: [AllowAny],
        version: 'version',
        idempotency: true,
        actions: {
          shout: {
            method: 'POST',
            detail: true,
            handler: async view => {
              const note = await view.getObject()
              note.text = note.text.toUpperCase()
              return note.save()
            },
          },
        },
        importFileConfig: {
          fileFormat: 'csv',
          chunkSize: 1,
          order: ['notes'],
          models: { notes: importModel({ model: notes, fields: ['text'], uniqueFields: ['text'] }) },
        },
      }),
    },
  })

  const headers = { 'idempotency-key': 'once' }
  const file = importForm('text\nnew\nnewer\n')
  const WRITES = {
    'a create': () => api.post('/notes/', { text: 'new' }, { as: 'ann', headers }),
    'a bulk create': () =>
      api.post('/notes/bulk-create/', [{ text: 'new' }, { text: 'newer' }], { as: 'ann', headers }),
    'a PATCH': () => api.patch('/notes/1/', { text: 'new' }, { as: 'ann', headers }),
    'a bulk update': () => api.patch('/notes/bulk-update/', [{ id: 1, text: 'new' }], { as: 'ann', headers }),
    'a custom action': () => api.post('/notes/1/shout/', undefined, { as: 'ann', headers }),
    'an import in chunks': () =>
      api.request('POST', '/notes/import-from-file/', { ...file, as: 'ann', headers: { ...file.headers, ...headers } }),
  }
  const stored = () =>
    mortal.alive.use(async () => {
      const db = currentDb()
      return {
        // A sequence of PostgreSQL does not go back, so ids may differ.
        notes: (await db.select().from(notes)).map(({ text }) => text).toSorted(),
        entries: (await db.select().from(notesHistory)).map(({ action, after }) => [action, after?.text]),
        keys: (await db.select().from(idempotencyKeys)).length,
        jobs: (await db.select().from(jobTables.jobs)).map(({ state }) => state),
      }
    })
  const restart = async () => {
    mortal.driver.rebear()
    await api.clear()
    await api.database.use(() => insertMany(notes, [{ text: 'old' }]))
  }

  test.each(Object.entries(WRITES))(
    'has stored all of %s, its history and its key, or nothing',
    async (_name, write) => {
      await restart()
      const before = await stored()
      mortal.driver.rebear()
      expect((await write()).status).toBeLessThan(300)
      const { steps } = mortal.driver
      const after = await stored()
      expect(after.keys).toBe(1)
      expect(after.entries.length).toBeGreaterThan(before.entries.length)
      for (let step = 1; step <= steps; step++) {
        for (const moment of ['before', 'after'] as const) {
          await restart()
          mortal.driver.rebear(step, moment)
          await write().catch(() => undefined)
          const found = await stored()
          expect([before, after]).toContainEqual(found)
          // The client sends it again, and it is carried out once.
          mortal.driver.rebear()
          expect((await write()).status).toBeLessThan(300)
          expect(await stored()).toEqual(after)
        }
      }
    },
  )
})
