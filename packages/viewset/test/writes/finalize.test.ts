import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('what an action stores', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', { id: c.integer().primaryKey(), text: c.text(20).notNull() })
  class NoteViewSet extends BulkViewSet({
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
    permissionClasses: [AllowAny],
    actions: {
      add: { method: 'POST', detail: false, handler: () => createRecord(notes, { text: 'added' }) },
    },
  }) {
    override async finalize(): Promise<never> {
      throw new Error('The answer cannot be made.')
    }
  }
  const { lines, server } = capturedLog()
  const api = useApi(dialect, { tables: { notes }, resources: { notes: NoteViewSet }, server })

  test.each([
    ['POST', '/notes/', { text: 'new' }],
    ['PUT', '/notes/1/', { text: 'new' }],
    ['PATCH', '/notes/1/', { text: 'new' }],
    ['DELETE', '/notes/1/', undefined],
    ['POST', '/notes/bulk-create/', [{ text: 'new' }]],
    ['PATCH', '/notes/bulk-update/', [{ id: 1, text: 'new' }]],
    ['DELETE', '/notes/bulk-delete/', [1]],
    ['POST', '/notes/add/', undefined],
  ] as const)('is undone if finalize throws: %s %s', async (method, path, body) => {
    await api.database.driver.run({ text: "insert into notes (text) values ('old')" }, [])
    const [[id] = []] = (await api.database.driver.run({ text: 'select id from notes' }, [])).rows
    const named = JSON.parse(
      JSON.stringify(body ?? null)
        .replace('"id":1', `"id":${id}`)
        .replace('[1]', `[${id}]`),
    )
    const response = await api.request(method, path.replace('/1/', `/${id}/`), { ...(named && { body: named }) })
    expect(response.status).toBe(500)
    expect(lines.splice(0)).toHaveLength(1)
    const { rows } = await api.database.driver.run({ text: 'select text from notes' }, [])
    expect(rows).toEqual([['old']])
  })
})
