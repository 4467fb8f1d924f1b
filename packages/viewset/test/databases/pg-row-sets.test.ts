import * as pg from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, BulkUpsertModelMixin, BulkViewSet, createRecord, insertMany } from 'viewset'
import { describe, expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { updateRecords } from '../../src/records/write-records.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { pgDialect } from '../support/dialects.ts'
import { expectSuccess } from '../support/expect.ts'

describe('pg: rows that travel with a statement', () => {
  const bits = pg.customType<{ data: string }>({ dataType: () => 'bit(3)' })
  const document = pg.customType<{ data: object; driverData: object }>({
    dataType: () => 'jsonb',
    toDriver: value => value,
  })
  const numbers = pg.customType<{ data: readonly number[] }>({ dataType: () => 'integer[]', toDriver: value => value })
  const mood = pg.pgEnum('Mood (of the day)', ['good', 'a "quoted", \\ one'])
  const values = pg.pgTable('values', {
    id: pg.serial().primaryKey(),
    text: pg.text(),
    short: pg.varchar({ length: 3 }),
    code: pg.char({ length: 3 }),
    shorts: pg.varchar({ length: 3 }).array(),
    tags: pg.text().array(),
    amount: pg.numeric({ precision: 4, scale: 2 }),
    at: pg.timestamp({ precision: 3, withTimezone: true, mode: 'string' }),
    real: pg.doublePrecision(),
    json: pg.json(),
    mood: mood(),
    bits: bits(),
    codes: pg.char({ length: 2 }).array(),
    masks: pg.bit({ dimensions: 3 }).array(),
    document: document(),
    numbers: numbers(),
    flag: pg.boolean(),
  })
  const moments = pg.pgTable('moments', {
    id: pg.timestamp({ precision: 0, mode: 'string' }).primaryKey(),
    name: pg.text(),
  })
  const notes = pg.pgTable('notes', {
    id: pg.serial().primaryKey(),
    moment: pg.timestamp({ precision: 0, mode: 'string' }).references(() => moments.id),
  })
  const permissionClasses = [AllowAny]
  const api = useApi(pgDialect, {
    tables: { mood, values, moments, notes },
    resources: {
      moments: BulkViewSet.add(BulkUpsertModelMixin)({
        model: moments,
        serializer: BaseModelSerializer(moments, { fields: ['id', 'name'] }),
        permissionClasses,
        upsertFields: ['id'],
      }),
      notes: BulkViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'moment'] }),
        permissionClasses,
      }),
    },
  })
  const table = modelInfo(values)
  type Row = typeof values.$inferInsert

  /** What is stored where rows are written alone, by one insert of all, and by one update of all. */
  async function stored(rows: readonly Row[]): Promise<readonly unknown[]> {
    const { database } = api
    const run = (text: string) => database.driver.run({ text }, [])
    const empty = () => run('truncate "values" restart identity')
    const read = async () => (await run('select * from "values" order by id')).rows
    await empty()
    await database.transaction(async () => {
      for (const row of rows) await createRecord(values, row)
    })
    const alone = await read()
    await empty()
    await database.transaction(() => insertMany(values, rows))
    const inserted = await read()
    await empty()
    await database.transaction(() =>
      insertMany(
        values,
        rows.map(() => ({})),
      ),
    )
    await database.transaction(() =>
      updateRecords(
        database,
        table,
        rows.map((row, index) => ({ key: index + 1, values: row })),
      ),
    )
    return [alone, inserted, await read()]
  }

  test('whatever a text has in it, many rows are stored as one would be', async () => {
    const text = fc.oneof(
      fc.constantFrom(
        '',
        'NULL',
        'null',
        '{}',
        '{a,"b"}',
        '\\',
        '\\N',
        '"',
        "'",
        ',',
        '\n',
        '\t',
        ' a ',
        '\u2028',
        'é',
        '😀',
      ),
      fc.string({ unit: 'grapheme' }).filter(value => !value.includes('\0')),
    )
    const row = fc.record(
      {
        text: fc.option(text),
        tags: fc.option(fc.array(text, { minLength: 1 })),
        json: fc.option(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text)))),
        document: fc.option(fc.dictionary(text, text)),
        numbers: fc.option(fc.array(fc.integer(), { minLength: 1 })),
        mood: fc.option(fc.constantFrom('good' as const, 'a "quoted", \\ one' as const)),
        real: fc.option(fc.oneof(fc.double(), fc.constantFrom(1e300, -0.1, Number.NaN, Number.NEGATIVE_INFINITY))),
        flag: fc.option(fc.boolean()),
      },
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 8 }), async rows => {
        const [alone, inserted, updated] = await stored(rows)
        expect(inserted).toEqual(alone)
        expect(updated).toEqual(alone)
      }),
      { numRuns: cases(40) },
    )
  })

  test('limits of a type are those of a row written alone', async () => {
    const right = {
      short: 'abc',
      code: 'a',
      shorts: ['abc'],
      amount: '12.345',
      at: '2026-01-01 00:00:00.1239Z',
      bits: '101',
      codes: ['DE', 'F'],
      masks: ['101'],
    }
    const [alone, inserted, updated] = await stored([right, { ...right, code: 'xyz' }])
    expect(inserted).toEqual(alone)
    expect(updated).toEqual(alone)
    const wrong: readonly Row[] = [
      { short: 'abcd' },
      { code: 'abcd' },
      { shorts: ['abcd'] },
      { amount: '123.45' },
      { bits: '1' },
      { bits: '1010' },
      { codes: ['DEX'] },
      { masks: ['1010'] },
    ]
    for (const row of wrong) {
      const write = (act: () => Promise<unknown>) => api.database.transaction(act).catch(error => String(error.message))
      const alone = await write(() => createRecord(values, row))
      expect([row, alone]).toEqual([row, expect.any(String)])
      expect([row, await write(() => insertMany(values, [row, {}]))]).toEqual([row, alone])
    }
  })

  test('types that only the database knows are those of a row written alone', async () => {
    const { database } = api
    const run = (text: string) => database.driver.run({ text }, [])
    await run("create domain pair as char(2) check (value <> 'no')")
    await run('create type span as (low integer, high varchar(2))')
    const known = { pair: ['ab', 'a', 'abc', 'no'], 'pair[]': ['{ab,c}', '{abc}'], span: ['(1,a)', '(1,abc)', '(,)'] }
    const tables = Object.entries({
      ...known,
      box: ['(1,1),(0,0)'],
      'CHAR(3)': ['abc', 'abcd'],
      'national character(3)': ['abcd'],
    })
    for (const [index, [type, given]] of tables.entries()) {
      const column = pg.customType<{ data: string }>({ dataType: () => type })
      const table = pg.pgTable(`own_${index}`, { id: pg.serial().primaryKey(), value: column(), note: pg.text() })
      await run(`create table own_${index} (id serial primary key, value ${type}, note text)`)
      const after = async (write: () => Promise<unknown>) => {
        await run(`truncate own_${index}`)
        const fault = await database.transaction(write).then(
          () => null,
          error => error.message,
        )
        return [fault, (await run(`select value from own_${index} order by id`)).rows[0]]
      }
      for (const value of given) {
        const alone = await after(() => createRecord(table, { value }))
        expect([type, value, await after(() => insertMany(table, [{ value }, { note: '' }]))]).toEqual([
          type,
          value,
          alone,
        ])
      }
    }
  })

  test('a key is found as it is stored, which may be rounded', async () => {
    const at = '2026-01-02T00:00:00.123Z'
    const body = [
      { id: at, name: 'one' },
      { id: '2026-01-03T00:00:00.700Z', name: 'two' },
    ]
    expectSuccess(await api.post('/moments/bulk-upsert/', body), 200, { data: { created: 2, updated: 0 } })
    expectSuccess(await api.post('/moments/bulk-upsert/', body), 200, { data: { created: 0, updated: 2 } })
    expect((await api.post('/notes/bulk-create/', [{ moment: at }, { moment: at }])).status).toBe(201)
  })
})
