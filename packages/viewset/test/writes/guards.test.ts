import { beforeEach, describe, expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { executeWrite } from '../../src/store/write/execute-write.ts'
import type { Guard } from '../../src/store/write/write.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

describeDialects('a guarded write', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.uuid().primaryKey(),
    text: c.text(20).notNull(),
    version: c.integer().notNull(),
    label: c.text(20),
    at: c.timestamp(),
    code: c.text(20).unique(),
  })
  const api = useApi(dialect, { tables: { notes }, resources: {} })
  const model = modelInfo(notes)
  const AT = '2026-01-15T10:30:00.123456Z'
  const rows = [1, 2, 3].map(n => ({ id: uuid(n), text: `t${n}`, version: n, label: n === 1 ? null : 'x', at: AT }))
  beforeEach(() => executeWrite(api.database, { kind: 'insert', model, rows }).then(() => {}))
  const stored = async () => (await api.rows('notes')).map(row => String(row[1])).toSorted()

  const guards: readonly (readonly [string, Guard, boolean])[] = [
    ['what the row has', { version: 1 }, true],
    ['another value', { version: 2 }, false],
    ['null where it is null', { label: null }, true],
    ['null where it is not', { at: null }, false],
    ['a value where it is null', { label: 'x' }, false],
    ['a time to the microsecond', { at: AT }, true],
    ['several columns that the row has', { version: 1, label: null, at: AT }, true],
    ['several columns, one of which has changed', { version: 1, label: 'x' }, false],
  ]

  describe.each(guards)('that expects %s', (_, guard, isMet) => {
    const expected = isMet ? { changes: 1, outdated: [] } : { changes: 0, outdated: [0] }

    test('of one row', async () => {
      const update = { key: uuid(1), values: { text: 'new', version: 9 }, guard }
      const updated = await executeWrite(api.database, { kind: 'update', model, rows: [update], returning: 'rows' })
      expect(updated).toMatchObject(expected)
      expect(updated.rows).toHaveLength(expected.changes)
      expect(await stored()).toEqual(isMet ? ['new', 't2', 't3'] : ['t1', 't2', 't3'])
    })

    test('of one of many rows', async () => {
      const updates = [
        {
          key: uuid(3),
          values: { text: 'last' },
          guard: Object.fromEntries(Object.keys(guard).map(key => [key, rows[2]?.[key as 'at']])),
        },
        { key: uuid(1), values: { text: 'new', version: 9 }, guard },
      ]
      const result = await executeWrite(api.database, { kind: 'update', model, rows: updates })
      expect(result.keys).toEqual(isMet ? [uuid(3), uuid(1)] : [uuid(3)])
      expect(result.outdated).toEqual(isMet ? [] : [1])
      expect(await stored()).toEqual(isMet ? ['last', 'new', 't2'] : ['last', 't1', 't2'])
    })

    test('of a row to delete, alone or among others', async () => {
      expect(
        await executeWrite(api.database, { kind: 'delete', model, rows: [{ key: uuid(1), guard }] }),
      ).toMatchObject(expected)
      const both = [
        { key: uuid(1), guard },
        { key: uuid(2), guard: { version: 1, label: null, at: null } },
      ]
      const result = await executeWrite(api.database, { kind: 'delete', model, rows: both })
      expect(result).toMatchObject({ changes: 0, keys: [], outdated: isMet ? [1] : [0, 1] })
    })
  })

  test('tells a row that is gone from one that has changed', async () => {
    const guarded = [1, 2, 9].map(n => ({ key: uuid(n), values: { text: 'new' }, guard: { version: 1 } }))
    const result = await executeWrite(api.database, { kind: 'update', model, rows: guarded, returning: 'rows' })
    expect(result).toMatchObject({ changes: 1, keys: [uuid(1)], outdated: [1] })
  })

  test('that leaves out what another guard of the plan looks at writes nothing to its row', async () => {
    const mixed = [
      { key: uuid(1), values: { text: 'new' }, guard: { version: 1 } },
      { key: uuid(2), values: { text: 'new' } },
    ]
    const result = await executeWrite(api.database, { kind: 'update', model, rows: mixed })
    expect(result).toMatchObject({ keys: [uuid(1)], outdated: [1] })
  })

  test('asks for rows that it missed only where there are any', async () => {
    const rows = [{ key: uuid(1), values: { text: 'new' }, guard: { version: 1 } }]
    const statements = await api.statementsOf(() => executeWrite(api.database, { kind: 'update', model, rows }))
    expect(statements).toHaveLength(1)
  })

  test('that a row misses which was to hand a unique value over refuses it all', async () => {
    const coded = [1, 2].map(n => ({ key: uuid(n), values: { code: `c${n}` } }))
    await executeWrite(api.database, { kind: 'update', model, rows: coded })
    const swap = [1, 2].map(n => ({ key: uuid(n), values: { code: `c${3 - n}` }, guard: { version: 1 } }))
    await expect(executeWrite(api.database, { kind: 'update', model, rows: swap })).rejects.toMatchObject({
      status: 409,
    })
    expect((await api.rows('notes')).map(row => row[5]).toSorted()).toEqual(['c1', 'c2', null])
  })
})
