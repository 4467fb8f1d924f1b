import { eq } from 'drizzle-orm'
import { readXlsx, writeXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  type ApiSettingsInput,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  importForeignKey,
  importModel,
  insertMany,
  ManyStrOnlyField,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, describeOneDialect, type TestDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { uuid } from '../support/expect.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'

/** An API over cities, and its files for editing. */
function useCities(dialect: TestDialect, common: ApiSettingsInput['COMMON'] = {}) {
  const { kit } = dialect
  const countries = kit.table('countries', { id: kit.integer().primaryKey(), name: kit.text(40).notNull().unique() })
  const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull().unique() })
  const cities = kit.table('cities', {
    ...kit.BaseModelMixin(),
    name: kit.text(40).notNull(),
    code: kit.text(10).unique(),
    country: kit.foreignKey(countries),
    population: kit.integer(),
    area: kit.decimal(10, 2),
    isCapital: kit.boolean().notNull().default(false),
    size: kit.enumeration(['small', 'large, or "huge"']),
    founded: kit.date(),
    seen: kit.timestamp(),
    notes: kit.text(),
    names: kit.array(kit.text(20)),
  })
  const cityTags = kit.table('city_tags', {
    id: kit.integer().primaryKey(),
    city: kit.foreignKey(cities).notNull(),
    tag: kit.foreignKey(tags).notNull(),
  })
  const serializer = BaseModelSerializer(cities, {
    fields: [
      'id',
      'name',
      'code',
      'country',
      'population',
      'area',
      'isCapital',
      'size',
      'founded',
      'seen',
      'notes',
      'names',
    ],
    extra: { tags: ManyStrOnlyField({ queryset: tags, str: 'label', through: cityTags }) },
  })
  const fields = [
    'name',
    'code',
    'population',
    'area',
    'isCapital',
    'size',
    'founded',
    'seen',
    'notes',
    'names',
  ] as const
  const api = useApi(dialect, {
    tables: { countries, tags, cities, cityTags },
    settings: { COMMON: { TIME_ZONE: 'Europe/Oslo', ...common } },
    resources: {
      cities: BulkImportableViewSet({
        model: cities,
        serializer,
        permissionClasses: [AllowAny],
        queryset: () => eq(cities.isActive, true),
        filterFields: ['name'],
        ordering: 'name',
        exportFieldConfig: { name: 'City', country__name: 'Country', population: 'Inhabitants' },
        importFileConfig: {
          fileFormat: ['csv', 'xlsx'],
          order: ['cities'],
          models: {
            cities: importModel({
              model: cities,
              fields,
              uniqueFields: ['code'],
              foreignKeys: {
                country: importForeignKey({ model: countries, lookupField: 'name', sourceField: 'country' }),
              },
              manyToMany: { tags: { model: tags, lookupField: 'label', sourceField: 'tags', separator: ';' } },
            }),
          },
        },
      }),
    },
  })

  const [oslo, bergen, gone] = [uuid(1), uuid(2), uuid(3)]
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(countries, [
        { id: 1, name: 'Norway' },
        { id: 2, name: 'Sweden' },
      ])
      await insertMany(tags, [
        { id: 1, label: 'coast' },
        { id: 2, label: 'old; "new"' },
      ])
      await insertMany(cities, [
        {
          id: oslo,
          name: 'Oslo',
          code: '0301',
          country: 1,
          population: 717_710,
          area: '454.10',
          isCapital: true,
          size: 'large, or "huge"',
          founded: '1048-01-01',
          seen: '2026-07-15T10:30:00.000000Z',
          notes: ' =1+1\nsecond line ',
          names: ['Christiania', 'a, b', ''],
        },
        { id: bergen, name: 'Bergen', code: null, country: 1, seen: '2026-01-15T23:30:00.123456Z' },
        { id: gone, name: 'Gone', code: 'x', isActive: false },
      ])
      await insertMany(cityTags, [
        { city: bergen, tag: 1 },
        { city: bergen, tag: 2 },
      ])
    }),
  )

  const exported = async (query = '') => {
    const answer = await api.post(`/cities/export/${query}`, { file_type: 'xlsx', for_editing: true })
    expect(answer.status).toBe(200)
    return answer.bytes
  }
  const send = (content: Buffer | Uint8Array, parts: Readonly<Record<string, string>> = {}) => {
    const fields = Object.entries({ append_data: 'true', ...parts }).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename: 'cities.xlsx', content: Buffer.from(content) }, ...fields)
    return api.post('/cities/import-from-file/', undefined, sent)
  }
  const edit = async (change: (row: EditableRow) => void, query = '') =>
    editedWorkbook(await exported(query), rows => {
      for (const row of rows) change(row)
      return rows
    })
  const stored = async (id: string) => (await api.get(`/cities/${id}/`)).data<Record<string, unknown>>()
  const update = (id: string, values: object) =>
    api.database.transaction(() => currentDb().update(cities).set(values).where(eq(cities.id, id)))

  return { api, oslo, bergen, gone, exported, send, edit, stored, update }
}

describeDialects('a file for editing', dialect => {
  const { api, oslo, bergen, exported, send, edit, stored, update } = useCities(dialect)

  test('has the labels, the key of each record and its values, in the time zone of the API', async () => {
    let seen: EditableRow[] = []
    await editedWorkbook(await exported(), rows => {
      seen = rows
      return rows
    })
    expect(seen).toMatchObject([
      { [ID]: bergen, City: 'Bergen', tags: 'coast; "old; ""new"""' },
      { [ID]: oslo, City: 'Oslo', Country: 'Norway', Inhabitants: 717_710, is_capital: true, code: '0301' },
    ])
    expect(seen[1]?.seen).toEqual(new Date('2026-07-15T12:30:00Z'))
  })

  test('writes nothing if nobody edits it', async () => {
    const before = await api.rows('cities')
    for (const file of [await exported(), await edit(() => {})]) {
      const answer = await send(file)
      expect([answer.status, answer.data()]).toMatchObject([
        201,
        { processed: 2, unchanged: 2, created: 0, updated: 0, failed: 0, missing: 0 },
      ])
    }
    expect(await api.rows('cities')).toEqual(before)
  })

  test('writes the edited cells only', async () => {
    const file = await edit(row => {
      if (row.City !== 'Oslo') return
      Object.assign(row, {
        Inhabitants: 720_000,
        Country: 'Sweden',
        size: 'small',
        tags: '"old; ""new"""',
        names: 'Oslo, "x, y"',
      })
      row.seen = new Date('2026-07-15T13:00:00Z')
    })
    await update(oslo, { notes: 'changed meanwhile', area: '500.00' })
    expect((await send(file)).data()).toMatchObject({ processed: 2, updated: 1, unchanged: 1, failed: 0 })
    expect(await stored(oslo)).toMatchObject({
      population: 720_000,
      country: 2,
      size: 'small',
      tags: ['old; "new"'],
      names: ['Oslo', 'x, y'],
      seen: '2026-07-15T11:00:00.000000Z',
      notes: 'changed meanwhile',
      area: '500.00',
      code: '0301',
    })
  })

  describe('reports a conflict', () => {
    const conflicting = async () => {
      const file = await edit(row => {
        if (row.City === 'Oslo') Object.assign(row, { Inhabitants: 720_000, code: '0302' })
      })
      await update(oslo, { population: 719_000 })
      return file
    }

    test('and writes nothing of the row', async () => {
      const answer = await send(await conflicting())
      expect(answer.status).toBe(207)
      expect(answer.data()).toMatchObject({
        failed: 1,
        updated: 0,
        errors: [
          {
            field: 'population',
            column: 'Inhabitants',
            conflict: { base: 717_710, yours: 720_000, theirs: 719_000 },
          },
        ],
      })
      expect(answer.text).toContain('It was \\"717710\\", and is now \\"719000\\". You wrote \\"720000\\".')
      expect(await stored(oslo)).toMatchObject({ population: 719_000, code: '0301' })
    })

    test.each([
      ['yours', 720_000],
      ['theirs', 719_000],
    ])('unless on_conflict is %s', async (choice, population) => {
      const answer = await send(await conflicting(), { on_conflict: choice })
      expect(answer.data()).toMatchObject({ failed: 0, updated: 1 })
      expect(await stored(oslo)).toMatchObject({ population, code: '0302' })
    })

    test('not if both changed it to the same', async () => {
      const file = await conflicting()
      await update(oslo, { population: 720_000 })
      expect((await send(file)).data()).toMatchObject({ failed: 0, updated: 1 })
    })

    test('and not for an unknown choice', async () => {
      const answer = await send(await exported(), { on_conflict: 'mine' })
      expect([answer.status, answer.envelope().errors]).toMatchObject([400, { on_conflict: [expect.any(String)] }])
    })
  })

  test('creates a record for a row without a key', async () => {
    const file = await editedWorkbook(await exported(), rows => [
      { City: 'Uppsala', Country: 'Sweden', code: 'u', is_capital: false, tags: 'coast' },
      ...rows,
      { City: 'Nowhere', Country: 'Atlantis', is_capital: false },
    ])
    const answer = await send(file)
    expect(answer.data()).toMatchObject({ processed: 4, created: 1, unchanged: 2, failed: 1, errors: [{ row: 5 }] })
    const [made] = (await api.get('/cities/?name=Uppsala')).data<{ id: string }[]>()
    expect(made).toMatchObject({ country: 2, code: 'u', tags: ['coast'] })
  })

  test('names wrong cells, and keeps the rules of the serializer and of the database', async () => {
    const file = await edit(row => {
      if (row.City === 'Oslo') Object.assign(row, { City: 'x'.repeat(41), Inhabitants: 'many', size: 'tiny' })
      else row.code = '0301'
    })
    const answer = await send(file)
    expect(answer.data()).toMatchObject({ failed: 2, updated: 0 })
    const fields = answer.data<{ errors: { field: string }[] }>().errors.map(({ field }) => field)
    expect(fields.toSorted()).toEqual(['code', 'name', 'population', 'size'])
  })
})

describeOneDialect('a file for editing is made for people', dialect => {
  const { api, exported, send } = useCities(dialect)
  const exportedIn = async (language: string) => {
    const headers = { 'accept-language': language }
    const body = { file_type: 'xlsx', for_editing: true }
    return (await api.post('/cities/export/', body, { headers })).bytes
  }
  const sheetsOf = async (bytes: Uint8Array) => (await readXlsx(bytes, { readStyles: true })).sheets

  test('the name stays in view beside the header, and the column of the IDs is narrow', async () => {
    const [sheet] = await sheetsOf(await exported())
    expect(sheet?.rows[0]?.slice(0, 3)).toEqual([ID, 'Delete?', 'City'])
    expect(sheet?.freezePane).toEqual({ rows: 1, columns: 3 })
    expect(sheet?.columns?.[0]?.width).toBeLessThan(15)
  })

  test.each([
    ['en', 'How to edit this', 'To delete a record, choose "Yes" in the column "Delete?".'],
    ['de', 'So wird bearbeitet', 'Um einen Datensatz zu löschen, wählen Sie „Ja“ in der Spalte „Löschen?“.'],
  ])('a sheet says how to edit it, in the language of the reader: %s', async (language, name, sentence) => {
    const sheets = await sheetsOf(await exportedIn(language))
    const guide = sheets.find(sheet => sheet.name === name)
    expect(guide?.rows.flat()).toContain(sentence)
    expect(sheets.filter(sheet => !sheet.veryHidden && !sheet.hidden).map(sheet => sheet.name)).toEqual([
      'cities',
      name,
    ])
  })

  test('an import ignores that sheet, also if the file is imported as a whole', async () => {
    const answer = (await send(await exportedIn('de'))).data()
    expect(answer).toMatchObject({ unchanged: 2, failed: 0 })
    expect(answer).not.toHaveProperty('ignored_sheets')
    const { sheets } = await readXlsx(await exportedIn('de'))
    const kept = sheets.filter(({ name }) => name !== 'viewset_base' && name !== '_lists')
    const withoutIds = kept.map(({ name, rows }, at) => ({
      name,
      rows: at === 0 ? rows.map(row => row.slice(2)) : rows,
    }))
    const whole = (await send(await writeXlsx({ sheets: withoutIds }))).data()
    expect(whole).toMatchObject({ processed: 2 })
    expect(whole).not.toHaveProperty('ignored_sheets')
  })

  test.each([
    ['en', 'such as 90.5.'],
    ['de', 'z. B. 90,5.'],
    ['fr', 'par exemple 90,5.'],
  ])('an error about a number has the form that the program of the reader takes: %s', async (language, example) => {
    const file = await editedWorkbook(await exported(), rows => [{ ...rows[0], area: '90 Grad' }])
    const fields = [{ name: 'append_data', value: 'true' }]
    const { payload, headers } = form({ name: 'file', filename: 'cities.xlsx', content: file }, ...fields)
    const sent = { payload, headers: { ...headers, 'accept-language': language } }
    const { errors } = (await api.post('/cities/import-from-file/', undefined, sent)).data<{ errors: object[] }>()
    expect(errors).toMatchObject([{ field: 'area', message: expect.stringContaining(example) }])
  })
})

describeOneDialect('a file for editing', dialect => {
  const { api, oslo, bergen, gone, exported, send, edit, stored, update } = useCities(dialect)

  test('empties the cells that are emptied', async () => {
    const file = await edit(row => {
      if (row.City === 'Bergen') Object.assign(row, { tags: null, Country: null, seen: null })
    })
    expect((await send(file)).data()).toMatchObject({ updated: 1 })
    expect(await stored(bergen)).toMatchObject({ tags: [], country: null, seen: null, name: 'Bergen' })
  })

  test('finds rows by their key, in any order and among new columns; missing rows stay', async () => {
    const file = await editedWorkbook(
      await exported(),
      ([, second]) => [{ ...second, Remark: 'mine', City: 'Christiania' }],
      headers => ['Remark', ...headers.toReversed()],
    )
    expect((await send(file)).data()).toMatchObject({ updated: 1, missing: 1, ignored_columns: ['Remark'] })
    expect(await stored(oslo)).toMatchObject({ name: 'Christiania' })
    expect((await stored(bergen)).name).toBe('Bergen')
  })

  test('takes no row twice, no unknown key, and no record that is gone', async () => {
    const file = await editedWorkbook(await exported(), rows => [
      ...rows,
      { ...rows[1], City: 'A copy' },
      { ...rows[1], [ID]: gone },
    ])
    const answer = await send(file)
    expect(answer.data()).toMatchObject({ failed: 3, unchanged: 1, errors: [{ row: 3 }, { row: 4 }, { row: 5 }] })
    expect(answer.text).toContain('Clear the ID in the row that is new.')
    const edited = await edit(row => Object.assign(row, { Inhabitants: 1 }))
    await update(oslo, { isActive: false })
    const late = await send(edited)
    expect(late.data()).toMatchObject({ failed: 1, updated: 1 })
    expect(late.text).toContain('There is no such record any longer, or you may not see it.')
  })

  test('takes equal rows of one key once', async () => {
    const file = await editedWorkbook(await exported(), ([first, second]) => {
      const changed = { ...second, City: 'Christiania' }
      return [{ ...first }, changed, { ...changed }]
    })
    expect((await send(file)).data()).toMatchObject({ failed: 0, updated: 1, unchanged: 2 })
    expect(await stored(oslo)).toMatchObject({ name: 'Christiania' })
  })

  test('warns of a column that is gone, and leaves its values alone', async () => {
    const file = await editedWorkbook(
      await exported(),
      rows => rows.map(({ Inhabitants: _, ...row }) => row),
      headers => headers.filter(header => header !== 'Inhabitants'),
    )
    expect((await send(file)).data()).toMatchObject({
      failed: 0,
      warnings: [{ row: null, message: 'This file no longer has the column "Inhabitants". Stored values stay.' }],
    })
    expect(await stored(oslo)).toMatchObject({ population: 717_710 })
  })

  test('is tried by a dry run with a diff', async () => {
    const file = await edit(row => {
      if (row.City === 'Oslo') row.Inhabitants = 1
    })
    const answer = await send(file, { dry_run: 'true', diff: 'true' })
    expect(answer.data()).toMatchObject({ updated: 1, diff: { rows: [{ changes: { population: [717_710, 1] } }] } })
    const { diff, unchanged } = answer.data<{ diff: { totals: object }; unchanged: number }>()
    expect(unchanged).toBeGreaterThan(0)
    expect(diff.totals).toEqual({ create: 0, update: 1, delete: 0, unchanged })
    expect(await stored(oslo)).toMatchObject({ population: 717_710 })
  })

  describe('its failed rows', () => {
    const failedFile = async () => {
      const file = await edit(row => {
        Object.assign(row, row.City === 'Oslo' ? { Inhabitants: 720_000, area: 'wide' } : { code: 'b' })
      })
      await update(oslo, { population: 719_000, notes: 'of somebody else', founded: '1048-02-02' })
      const answer = await send(file, { failed_rows: 'true' })
      expect([answer.status, answer.headers['content-type']]).toEqual([207, expect.stringContaining('spreadsheet')])
      return answer.bytes
    }

    test('are a file to edit: edited cells, present values and the errors', async () => {
      let seen: EditableRow[] = []
      await editedWorkbook(await failedFile(), rows => {
        seen = rows
        return rows
      })
      expect(seen).toHaveLength(1)
      expect(seen[0]).toMatchObject({
        [ID]: oslo,
        City: 'Oslo',
        Inhabitants: 720_000,
        area: 'wide',
        notes: 'of somebody else',
        Errors: expect.stringContaining('and is now "719000"'),
      })
    })

    test('write the edited cells when they are sent again, and nothing that somebody else has changed', async () => {
      const corrected = await editedWorkbook(await failedFile(), rows => rows.map(row => ({ ...row, area: 5.5 })))
      expect((await send(corrected)).data()).toMatchObject({ processed: 1, updated: 1, failed: 0, ignored_columns: [] })
      expect(await stored(oslo)).toMatchObject({
        population: 720_000,
        area: '5.50',
        notes: 'of somebody else',
        founded: '1048-02-02',
        code: '0301',
      })
      expect(await stored(bergen)).toMatchObject({ code: 'b' })
    })

    test('keep a conflict if somebody changes the value once more', async () => {
      const corrected = await editedWorkbook(await failedFile(), rows => rows.map(row => ({ ...row, area: 5.5 })))
      await update(oslo, { population: 1 })
      expect((await send(corrected)).data()).toMatchObject({ updated: 0, failed: 1 })
    })
  })

  describe('is refused', () => {
    test('if it should replace all records', async () => {
      const answer = await send(await exported(), { append_data: 'false' })
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('cannot replace all of them')])
    })

    test('without the column of the keys, and with a renamed header', async () => {
      const bytes = await exported()
      const without = await editedWorkbook(
        bytes,
        rows => rows,
        headers => headers.slice(1),
      )
      expect((await send(without)).text).toContain('No sheet has the column')
      const renamed = await editedWorkbook(
        bytes,
        rows => rows.map(row => ({ ...row, Town: row.City ?? null })),
        headers => headers.map(name => (name === 'City' ? 'Town' : name)),
      )
      expect((await send(renamed)).text).toContain('Give the columns their old headers.')
      const fewer = await editedWorkbook(
        bytes,
        rows => rows,
        headers => headers.filter(name => name !== 'City'),
      )
      expect((await send(fewer)).data()).toMatchObject({ unchanged: 2 })
    })

    test.each([
      [{ file_type: 'csv' }, 'file_type'],
      [{ includes: ['name'] }, 'includes'],
      [{ data: [{ name: 'x' }] }, 'data'],
    ])('in an export with %j', async (more, field) => {
      const answer = await api.post('/cities/export/', { file_type: 'xlsx', for_editing: true, ...more })
      expect([answer.status, Object.keys(answer.envelope().errors ?? {})]).toEqual([400, [field]])
    })
  })
})

describeOneDialect('a file for editing of more records than EDIT_MAX_ROWS', dialect => {
  const { api, exported } = useCities(dialect, { EDIT_MAX_ROWS: 1 })

  test('is a 400 that names the limit, and fewer records are a file', async () => {
    const answer = await api.post('/cities/export/', { file_type: 'xlsx', for_editing: true })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('1')])
    expect((await exported('?name=Oslo')).length).toBeGreaterThan(0)
  })
})
