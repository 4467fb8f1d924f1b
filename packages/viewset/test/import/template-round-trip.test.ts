import { ne, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  currentDb,
  IdToDataField,
  ImportableViewSet,
  importForeignKey,
  importModel,
  scoped,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { editedWorkbook, withoutGuide } from '../support/edited-workbook.ts'
import { importForm } from '../support/multipart.ts'

// A kit makes the checks of its enumerations; an application's own stand on plain tables.
const pgStays = pg.pgTable(
  'stays',
  {
    id: pg.integer().primaryKey(),
    guests: pg.integer().notNull(),
    price: pg.numeric({ precision: 8, scale: 2 }).notNull(),
    discount: pg.numeric({ precision: 8, scale: 2 }),
  },
  t => [
    pg.check('guests', sql`${t.guests} between 3 and 9`),
    pg.check('price', sql`${t.price} >= 40 and ${t.price} < 60`),
    pg.check('discount', sql`${t.discount} < ${t.price} - 45`),
  ],
)
const liteStays = lite.sqliteTable(
  'stays',
  {
    id: lite.integer().primaryKey(),
    guests: lite.integer().notNull(),
    price: lite.numeric().notNull(),
    discount: lite.numeric(),
  },
  t => [
    lite.check('guests', sql`${t.guests} between 3 and 9`),
    lite.check('price', sql`${t.price} >= 40 and ${t.price} < 60`),
    lite.check('discount', sql`${t.discount} < ${t.price} - 45`),
  ],
)

describeOneDialect('the example of a template is a right row', dialect => {
  const c = dialect.kit
  const rooms = c.table('rooms', { id: c.integer().primaryKey(), name: c.text(9), floor: c.text(20).notNull() })
  const guests = c.table('guests', {
    id: c.integer().primaryKey(),
    room: c.foreignKey(rooms).notNull(),
    next: c.foreignKey(rooms),
    plate: c.text(5).notNull().unique(),
    mail: c.text(12).notNull(),
    grade: c.enumeration(['B', 'A']).notNull(),
    stars: c.integer().notNull(),
    code: c.text(6).notNull(),
    // Nothing that is known of it tells what it takes.
    pin: c.text(30),
  })
  const stays = dialect.name === 'pg' ? pgStays : (liteStays as unknown as typeof pgStays)
  const open = scoped(rooms, () => ne(rooms.floor, 'closed'))
  const byName = (sourceField: string) => importForeignKey({ model: rooms, lookupField: 'name', sourceField })
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables: { rooms, guests, stays },
    resources: {
      guests: ImportableViewSet({
        model: guests,
        serializer: BaseModelSerializer(guests, {
          fields: ['id', 'plate', 'mail', 'grade', 'stars', 'code', 'pin'],
          extra: {
            room: IdToDataField({ queryset: open, serializer: BaseModelSerializer(rooms, { fields: ['name'] }) }),
          },
          refine: {
            mail: z.email(),
            stars: z.number().min(3).max(5),
            code: z.string().regex(/^\d{3}$/),
            pin: z.string().regex(/^secret$/),
          },
        }),
        permissionClasses,
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['guests'],
          models: {
            guests: importModel({
              model: guests,
              fields: ['plate', 'mail', 'grade', 'stars', 'code', 'pin'],
              uniqueFields: ['plate'],
              foreignKeys: { room: byName('room'), next: byName('next_room') },
            }),
          },
        },
      }),
      stays: ImportableViewSet({
        model: stays,
        serializer: BaseModelSerializer(stays, { fields: ['id', 'guests', 'price', 'discount'] }),
        permissionClasses,
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['stays'],
          models: {
            stays: importModel({ model: stays, fields: ['id', 'guests', 'price', 'discount'], uniqueFields: ['id'] }),
          },
        },
      }),
    },
  })

  beforeEach(async () => {
    await api.database.transaction(() =>
      currentDb()
        .insert(rooms)
        .values([
          // None of these can be named: without a name, out of the field's scope, and two of one name.
          { id: 1, name: null, floor: 'ground' },
          { id: 2, name: 'Attic', floor: 'closed' },
          { id: 3, name: 'Twin', floor: 'first' },
          { id: 4, name: 'Twin', floor: 'first' },
          { id: 5, name: 'Sea view', floor: 'first' },
        ]),
    )
  })

  const template = async (resource: string, format: string) => {
    const { status, bytes } = await api.get(`/${resource}/import-template/?file_type=${format}`)
    expect(status).toBe(200)
    return bytes
  }
  const filled = async (resource: string, format: string) => {
    const bytes = await template(resource, format)
    return format === 'xlsx' ? withoutGuide(bytes) : bytes
  }
  const send = (resource: string, file: Buffer) =>
    api.post(`/${resource}/import-from-file/`, undefined, importForm(file))

  test.each(['csv', 'xlsx'])('where it refers to records outside of the file, in %s', async format => {
    const response = await send('guests', await filled('guests', format))
    expect([response.status, response.data()]).toMatchObject([201, { created: 1, errors: [] }])
    expect((await api.rows('guests')).map(row => row.map(String).slice(1))).toEqual([
      ['5', '2', 'Text', 'a@b.org', 'B', '5', '123', 'null'],
    ])
  })

  test.each(['csv', 'xlsx'])('where the table has checks, in %s', async format => {
    const response = await send('stays', await filled('stays', format))
    expect([response.status, response.data()]).toMatchObject([201, { created: 1, errors: [] }])
  })

  test('and has the type of what there is not yet', async () => {
    await api.clear()
    expect(String(await template('guests', 'csv'))).toBe(
      'plate,mail,grade,stars,code,pin,room,next_room\r\nText,a@b.org,B,5,123,,Example,\r\n',
    )
  })
})

describeOneDialect('a template with lists that a rule cannot hold', dialect => {
  const { kit } = dialect
  const letters = Array.from({ length: 200 }, (_, at) => `letter ${at}`) as [string, ...string[]]
  const signs = kit.table('signs', {
    id: kit.integer().primaryKey(),
    code: kit.integer().notNull().unique(),
    kind: kit.enumeration(['a, b', 'say "no"', 'plain']).notNull(),
    letter: kit.enumeration(letters).notNull(),
  })
  const fields = ['code', 'kind', 'letter'] as const
  const api = useApi(dialect, {
    tables: { signs },
    resources: {
      signs: ImportableViewSet({
        model: signs,
        serializer: BaseModelSerializer(signs, { fields }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['signs'],
          models: { signs: importModel({ model: signs, fields, uniqueFields: ['code'] }) },
        },
      }),
    },
  })

  test('has an example that an import skips as it is, and the sheet with the lists is not reported', async () => {
    const { bytes } = await api.get('/signs/import-template/')
    const { sheets } = await readXlsx(bytes)
    expect(sheets.map(({ name }) => name)).toEqual(['signs', 'How to fill this in', '_lists'])
    expect(sheets[0]?.dataValidations).toMatchObject([{ range: 'B2:B1048576' }, { range: 'C2:C1048576' }])
    expect(sheets[2]?.rows.map(row => row[1])).toEqual(letters)
    const answer = await api.request('POST', '/signs/import-from-file/', importForm(bytes, { filename: 'signs.xlsx' }))
    expect(answer.data()).toMatchObject({
      created: 0,
      skipped: 1,
      failed: 0,
      warnings: [{ row: 2, message: expect.stringMatching(/example/) }],
    })
    // Another program has saved it; then a person writes over one cell.
    const send = async (file: Buffer) =>
      (await api.request('POST', '/signs/import-from-file/', importForm(file, { filename: 'signs.xlsx' }))).data()
    expect(await send(await editedWorkbook(bytes, rows => rows))).toMatchObject({ created: 0, skipped: 1 })
    const changed = await editedWorkbook(bytes, ([example]) => [example ?? {}, { ...example, code: 7 }])
    expect(await send(changed)).toMatchObject({ created: 1, skipped: 1, failed: 0 })
    // Another row with its values is a record; a person may rename the sheet.
    const copied = await editedWorkbook(bytes, ([example]) => [example ?? {}, { ...example, code: 9 }, example ?? {}])
    expect(await send(copied)).toMatchObject({ processed: 3, created: 2, skipped: 1 })
    const { sheets: saved } = await readXlsx(await editedWorkbook(bytes, rows => rows))
    const renamed = await writeXlsx({
      sheets: saved.map(({ name, rows }, at) => ({ name: at === 0 ? 'My signs' : name, rows })),
    })
    expect(await send(Buffer.from(renamed))).toMatchObject({ created: 0, skipped: 1 })
    await api.clear()
    // The file of the failed rows has no example.
    const wrong = await editedWorkbook(bytes, ([example]) => [example ?? {}, { ...example, code: 'x' }])
    const failed = await api.request('POST', '/signs/import-from-file/?failed_rows=true&all_or_nothing=true', {
      ...importForm(wrong, { filename: 'signs.xlsx' }),
    })
    expect((await readXlsx(failed.bytes)).sheets.map(({ rows }) => rows.length)).toEqual([2])
    const filled = await withoutGuide(bytes)
    const stored = await api.request('POST', '/signs/import-from-file/', importForm(filled, { filename: 'signs.xlsx' }))
    expect(stored.data()).toMatchObject({ created: 1, failed: 0 })
    expect(answer.data()).not.toHaveProperty('ignored_sheets')
    const preview = await api.request('POST', '/signs/import-preview/', importForm(bytes, { filename: 'signs.xlsx' }))
    expect(preview.data()).toMatchObject({ ignored_sheets: [], problems: [] })
  })
})
