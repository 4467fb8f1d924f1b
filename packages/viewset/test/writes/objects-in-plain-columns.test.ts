import { randomUUID } from 'node:crypto'
import { createRecord, findRecords, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { useDatabase } from '../support/imports.ts'

describeDialects('an object in a column that is not JSON', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    text: c.text(),
    number: c.integer(),
    data: c.json(),
  })
  const db = useDatabase(dialect, { notes })
  const object: never = { a: 1 } as never

  test.each([1, 2])('is refused with a sentence that names the column, among %i rows', async count => {
    const rows = (key: string) => Array.from({ length: count }, (_, n) => ({ [key]: n === 0 ? object : null }))
    const insert = (key: string) => db.database.use(() => insertMany(notes, rows(key) as never))
    await expect(insert('text')).rejects.toThrow(
      '"text": an object cannot be stored in a column of type text. Store JSON.stringify(value), or make it a JSON column.',
    )
    await expect(insert('number')).rejects.toThrow(
      '"number": an object cannot be stored in a column of type integer. Pass a single value.',
    )
    expect(await db.database.use(() => findRecords(notes))).toEqual([])
  })

  test('and so for a single record, and for a list', async () => {
    const create = (text: never) => db.database.use(() => createRecord(notes, { text }))
    await expect(create(object)).rejects.toThrow('"text": an object cannot be stored')
    await expect(create([1] as never)).rejects.toThrow('"text": an array cannot be stored')
  })

  test('is stored in a JSON column', async () => {
    await db.database.use(() => insertMany(notes, [{ data: { a: 1 } }, { data: [1] }]))
    expect(await db.rows('notes', 'text')).toEqual([[null], [null]])
  })
})
