import { type ColumnKit, createRecord, runAs } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

function noteTables(c: ColumnKit) {
  const notes = c.table('notes', { id: c.integer().primaryKey(), text: c.text(20).notNull(), ...c.UserActionMixin() })
  return { notes }
}

describeDialects('UserActionMixin', dialect => {
  const tables = noteTables(dialect.kit)
  const api = useApi(dialect, { tables, resources: {} })

  test('fills who has created and who has changed a record, and nothing else', async () => {
    await api.database.transaction(async () => {
      const note = await runAs({ id: 'ann' }, () => createRecord(tables.notes, { text: 'a' }))
      expect(note).toMatchObject({ createdBy: 'ann', updatedBy: 'ann' })
      note.text = 'b'
      await runAs({ id: 'ben' }, () => note.save())
      expect(note.getJson()).toEqual({ id: 1, text: 'b', created_by: 'ann', updated_by: 'ben' })
    })
  })
})
