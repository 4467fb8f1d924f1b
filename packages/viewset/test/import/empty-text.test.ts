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
import { describeDialects } from '../support/dialects.ts'
import { csv, importOnce, useDatabase } from '../support/imports.ts'

describeDialects('an empty cell of a text that may not be null', dialect => {
  const c = dialect.kit
  const owners = c.table('owners', { id: c.integer().primaryKey(), name: c.text(20).notNull() })
  const notes = c.table('notes', {
    code: c.text(20).primaryKey(),
    text: c.text(20).notNull(),
    hint: c.text(20),
    kind: c.text(20).notNull().default('note'),
    size: c.enumeration(['S', 'L']).notNull(),
  })
  const db = useDatabase(dialect, { owners, notes })
  const fields = ['code', 'text', 'hint', 'kind', 'size'] as const
  const serializer = BaseModelSerializer(notes, { fields })
  const noteRows = importModel({ model: notes, fields: [...fields], uniqueFields: ['code'] })
  const config: ImportFileConfig = { fileFormat: ['csv', 'xlsx'], order: ['notes'], models: { notes: noteRows } }
  const run = (file: Buffer, options: ImportServiceOptions = { serializer }) =>
    importOnce(config, file, { database: db.database, ...options })
  const stored = () => db.rows('notes', ...fields)
  const error = (field: string, message = 'This field may not be null.') => ({
    row: 2,
    field,
    column: field,
    message,
    model: 'notes',
  })

  test.each(['csv', 'xlsx'] as const)(
    'is the empty text, which survives an export to %s and its import',
    async type => {
      await db.database.transaction(() =>
        insertMany(notes, [
          { code: 'a', text: '', hint: null, kind: 'note', size: 'S' },
          { code: 'b', text: ' ', hint: 'x', kind: 'memo', size: 'L' },
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

  test('is null or the default where the column has that', async () => {
    await run(csv([...fields], ['a', 'x', '', '', 'S']))
    expect(await stored()).toEqual([['a', 'x', null, 'note', 'S']])
  })

  test('is an error where the serializer takes no blank or no text', async () => {
    const strict = BaseModelSerializer(notes, { fields, refine: { text: z.string().min(1) } })
    const file = csv([...fields], ['a', '', '', '', ''])
    expect((await run(file, { serializer: strict })).errors).toEqual([error('text'), error('size')])
  })

  test('is an error without a serializer, which alone can say that a blank will do', async () => {
    expect((await run(csv([...fields], ['a', '', '', '', 'S']), {})).errors).toEqual([error('text')])
  })

  test('is an error in the only field that a record is found by: blank rows would write over each other', async () => {
    expect((await run(csv([...fields], ['', 'x', '', '', 'S']))).errors).toEqual([error('code')])
  })
})
