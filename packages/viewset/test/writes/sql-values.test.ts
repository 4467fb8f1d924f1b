import { sql } from 'drizzle-orm'
import { findRecords, insertMany, postWrite } from 'viewset'
import { expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { executeWrite } from '../../src/store/write/execute-write.ts'
import type { Values } from '../../src/store/write/write.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

describeDialects('SQL among the values of many rows', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.uuid().primaryKey(),
    text: c.text(20).unique(),
    version: c.integer().notNull().default(1),
  })
  const api = useApi(dialect, { tables: { notes }, resources: {} })
  const model = modelInfo(notes)
  const versions = async () =>
    (await api.database.use(() => findRecords(notes))).map(({ text, version }) => [text, version])

  test('is for the rows that give it: others have their own values or their defaults', async () => {
    const insert = () =>
      insertMany(notes, [
        { id: uuid(1), text: 'a' },
        { id: uuid(2), text: 'b', version: sql`40 + 2` as never },
        { id: uuid(3), text: 'c' },
        { id: uuid(4), text: 'd', version: 7 },
      ])
    expect(await api.database.use(insert)).toBe(4)
    expect(await versions()).toEqual([
      ['a', 1],
      ['b', 42],
      ['c', 1],
      ['d', 7],
    ])
  })

  const updates: readonly (readonly [string, readonly Values[], readonly number[]])[] = [
    ['one expression for all', [1, 2, 3].map(() => ({ version: sql`version + 1` })), [11, 21, 31]],
    [
      'expressions, values and nothing at all',
      [{ version: sql`version + ${5}` }, {}, { version: 7, text: 'new' }],
      [15, 20, 7],
    ],
  ]
  test.each(updates)('an update sets %s', async (_, values, expected) => {
    const rows = [1, 2, 3].map(n => ({ id: uuid(n), text: `t${n}`, version: n * 10 }))
    await executeWrite(api.database, { kind: 'insert', model, rows })
    const changed = values.map((value, index) => ({ key: uuid(index + 1), values: value })).toReversed()
    const heard: unknown[] = []
    const stop = postWrite(notes, ({ after }) => heard.push(after.map(({ version }) => version)))
    const result = await executeWrite(api.database, { kind: 'update', model, rows: changed, returning: 'keys' })
    stop()
    expect(result).toMatchObject({ changes: 3, keys: [uuid(3), uuid(2), uuid(1)] })
    expect(heard).toEqual([expected.toReversed()])
    expect((await versions()).map(([, version]) => version)).toEqual(expected)
  })
})
