import { buffer } from 'node:stream/consumers'
import {
  BaseModelSerializer,
  ExportService,
  type ImportFileConfig,
  type ImportServiceOptions,
  importModel,
  insertMany,
  QuerySet,
} from 'viewset'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { describeOneDialect } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeOneDialect('an empty cell of a text that may not be null', dialect => {
  const c = dialect.kit
  const owners = c.table('owners', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const notes = c.table('notes', {
    code: c.text(20).primaryKey(),
    text: c.text(20).notNull(),
    blank: c.text(20, { allowBlank: true, trim: false }).notNull(),
    hint: c.text(20),
    kind: c.text(20).notNull().default('note'),
    extra: c.text(20).notNull().default(''),
    size: c.enumeration(['S', 'L']).notNull(),
  })
  const db = useDatabase(dialect, { owners, notes })
  const fields = ['code', 'text', 'blank', 'hint', 'kind', 'extra', 'size'] as const
  const serializer = BaseModelSerializer(notes, { fields })
  const noteRows = importModel({ model: notes, fields: [...fields], uniqueFields: ['code'] })
  const config: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['notes'], models: { notes: noteRows } }
  const run = (file: Buffer, options: ImportServiceOptions = { serializer }) =>
    importOnce(config, file, { database: db.database, ...options })
  const stored = () => db.rows('notes', ...fields)
  const error = (field: string) => ({
    row: 2,
    field,
    column: field,
    message: 'This cell is empty, and a value is required.',
    model: 'notes',
  })

  test.each(['csv', 'xlsx'] as const)(
    'is the empty text if the column allows that, which survives an export to %s and its import',
    async type => {
      await db.database.transaction(() =>
        insertMany(notes, [
          { code: 'a', text: 'x', blank: '', hint: null, kind: 'note', extra: '', size: 'S' },
          { code: 'b', text: 'y', blank: ' ', hint: 'x', kind: 'memo', extra: 'z', size: 'L' },
        ]),
      )
      const before = await stored()
      const file = await buffer(
        new ExportService(serializer).export(QuerySet.of(db.database, notes), { fileType: type }).stream,
      )
      await db.clear()
      expect(await run(file)).toMatchObject({ created: 2, failed: 0 })
      expect(await stored()).toEqual(before)
    },
  )

  test.each([
    ['with', { serializer }],
    ['without', {}],
  ])('is null or the default where the column has that, %s a serializer', async (_, options) => {
    await run(csv([...fields], ['a', 'x', '', '', '', '', 'S']), options)
    expect(await stored()).toEqual([['a', 'x', '', null, 'note', '', 'S']])
  })

  test.each([
    ['with', { serializer }],
    ['without', {}],
  ])('is an error, and so is a cell of blanks, %s a serializer', async (_, options) => {
    const result = await run(
      csv([...fields], ['a', '', '', '', '', '', ''], ['b', ' \t', '', '', '', '', 'S']),
      options,
    )
    expect(result.errors).toEqual([error('text'), error('size'), { ...error('text'), row: 3 }])
    expect(await stored()).toEqual([])
  })

  test('is as the field of the serializer says', async () => {
    const changed = BaseModelSerializer(notes, {
      fields,
      texts: { text: { allowBlank: true } },
      refine: { blank: z.string().min(1) },
    })
    const file = csv([...fields], ['a', '', 'x', '', '', '', 'S'], ['b', 'y', '', '', '', '', 'S'])
    expect((await run(file, { serializer: changed })).errors).toEqual([{ ...error('blank'), row: 3 }])
    expect(await stored()).toEqual([['a', '', 'x', null, 'note', '', 'S']])
  })

  test('a text is trimmed before it is looked for and stored', async () => {
    await run(csv([...fields], ['a', 'x', '', '', '', '', 'S']))
    const result = await run(csv([...fields], [' a ', ' y y\t', ' z ', ' h', 'k ', ' ', 'S']))
    expect(result).toMatchObject({ updated: 1, failed: 0 })
    expect(await stored()).toEqual([['a', 'y y', ' z ', 'h', 'k', '', 'S']])
  })

  test('is an error in the only field that a record is found by: blank rows would write over each other', async () => {
    expect((await run(csv([...fields], ['', 'x', '', '', '', '', 'S']))).errors).toEqual([error('code')])
  })
})
