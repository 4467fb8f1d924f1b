import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  type ImportFileConfig,
  IsAdminUser,
  importModel,
} from 'viewset'
import type { ApiOptions } from 'viewset/http'
import { createApi } from 'viewset/http'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

interface Saved {
  readonly id: string
  readonly name: string
  readonly everyone: boolean
  readonly saved_at: string
  readonly mapping?: object
  readonly header_row?: number | Readonly<Record<string, number>>
  readonly values?: object
  readonly locale?: string
}
interface Preview {
  readonly sheets: readonly { readonly headers: readonly { readonly header: string }[] }[]
  readonly saved_mappings?: readonly Saved[]
}

const users = {
  ann: { id: 'ann', firm: 'a', roles: [] },
  ben: { id: 'ben', firm: 'a', roles: [] },
  chief: { id: 'chief', firm: 'a', roles: ['admin'] },
  cleo: { id: 'cleo', firm: 'c', roles: ['admin'] },
  nina: { id: 'nina', firm: 'a', roles: ['noImport'] },
  unit: { id: 'unit', firm: 'a', roles: ['noPrices'] },
}

describeDialects('saved mappings', dialect => {
  const { kit: c } = dialect
  const goods = c.table('goods', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    name: c.text(20).notNull(),
    price: c.integer(),
    firm: c.text(10),
  })
  const pins = c.table('pins', {
    id: c.integer().primaryKey(),
    code: c.text(10).notNull().unique(),
    pin: c.text(10),
  })
  const { importMappings } = c.ImportMappingTable()
  const fields = ['code', 'name', 'price'] as const
  const config = (imported: readonly ('code' | 'name' | 'price')[], more: Partial<ImportFileConfig> = {}) => ({
    model: goods,
    serializer: BaseModelSerializer(goods, { fields: ['id', ...fields] }),
    permissionClasses: [AllowAny],
    tenant: false as const,
    importPermissionClasses: [({ user }: { user: unknown }) => !isWithout(user)],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'] as const,
      order: ['goods'] as const,
      models: { goods: importModel({ model: goods, fields: [...imported], uniqueFields: ['code'] }) },
      ...more,
    },
  })
  const withoutPrice = BaseModelSerializer(goods, { fields: ['id', 'code', 'name'] })
  const whole = config(fields)
  class PricesOfSome extends BulkImportableViewSet({ ...whole, serializers: [whole.serializer, withoutPrice] }) {
    override getSerializer() {
      return this.user?.roles?.includes('noPrices') ? withoutPrice : whole.serializer
    }
  }
  const isWithout = (user: unknown) => Object(user).roles?.includes('noImport') ?? false
  const pinRows = importModel({ model: pins, fields: ['code', 'pin'], uniqueFields: ['code'], sensitive: ['pin'] })
  const options = {
    tables: { goods, pins, importMappings },
    users,
    resources: {
      goods: BulkImportableViewSet(config(fields)),
      priced: PricesOfSome,
      others: BulkImportableViewSet(config(fields)),
      ofFirm: BulkImportableViewSet({
        ...config(fields),
        tenant: { column: 'firm', of: ({ user }) => Object(user).firm as string | undefined },
      }),
      pins: BulkImportableViewSet({
        model: pins,
        serializer: BaseModelSerializer(pins, { fields: ['id', 'code', 'pin'] }),
        permissionClasses: [AllowAny],
        tenant: false,
        importFileConfig: { fileFormat: 'csv', order: ['pins'], models: { pins: pinRows } },
      }),
    },
    settings: { COMMON: { IMPORT_MAPPINGS_PER_USER: 3 } },
    importMappings: { table: importMappings, adminPermissionClasses: [IsAdminUser] },
  }
  const api = useApi(dialect, options)

  const HEADERS = ['Artikel', 'Titel', 'Preis']
  const MAPPING = { Artikel: 'code', Titel: 'name', Preis: 'price' }
  const FILE = 'Artikel,Titel,Preis\na,Nut,3\n'

  const save = (body: object, as?: string, resource = 'goods') =>
    api.post(`/${resource}/import-mappings/`, { headers: HEADERS, mapping: MAPPING, ...body }, as ? { as } : {})
  const list = async (as?: string, resource = 'goods', query = '') =>
    (await api.get(`/${resource}/import-mappings/${query}`, as ? { as } : {})).data<Saved[]>()
  const remove = (id: string, as?: string, resource = 'goods') =>
    api.delete(`/${resource}/import-mappings/${id}/`, as ? { as } : {})
  const send = (
    action: string,
    content: string | Uint8Array,
    parts: Readonly<Record<string, string>> = {},
    { as, resource = 'goods', filename = 'goods.csv' }: { as?: string; resource?: string; filename?: string } = {},
  ) => {
    const all = Object.entries(parts).map(([name, value]) => ({ name, value }))
    const sent = form({ name: 'file', filename, content }, ...all)
    return api.request('POST', `/${resource}/${action}/`, { ...sent, ...(as && { as }) })
  }
  const suggested = async (content: string | Uint8Array, more: Parameters<typeof send>[3] = {}) =>
    (await send('import-preview', content, {}, { as: 'ann', ...more })).data<Preview>().saved_mappings
  /** The parts of the form that a suggestion has, as a client sends them. */
  const partsOf = ({ mapping, header_row, values, locale }: Saved) => ({
    ...(locale && { locale }),
    ...(mapping && { mapping: JSON.stringify(mapping) }),
    ...(header_row && { header_row: JSON.stringify(header_row) }),
    ...(values && { values: JSON.stringify(values) }),
  })
  const imported = async (content: string | Uint8Array, saved: Saved, more: Parameters<typeof send>[3] = {}) =>
    (await send('import-from-file', content, { append_data: 'true', ...partsOf(saved) }, { as: 'ann', ...more })).data<{
      created: number
      failed: number
    }>()

  describe('a user', () => {
    test('saves, lists and deletes a mapping', async () => {
      const saved = await save({ name: ' ERP ', values: { Titel: { n: 'Nut' } }, header_row: 1 }, 'ann')
      expect(saved.status).toBe(201)
      const expected = {
        id: expect.stringMatching(/^[0-9a-f]{64}$/),
        name: 'ERP',
        everyone: false,
        saved_at: expect.stringMatching(/Z$/),
        mapping: MAPPING,
        header_row: 1,
        values: { Titel: { n: 'Nut' } },
      }
      expect(saved.data()).toEqual(expected)
      expect(await list('ann')).toEqual([expected])
      expect((await remove(saved.data<Saved>().id, 'ann')).status).toBe(204)
      expect(await list('ann')).toEqual([])
    })

    test('gets it in a preview of the same headers, and the import takes it unchanged', async () => {
      const values = { Titel: { n: 'Nut' } }
      await save({ name: 'ERP', values, locale: 'de-DE' }, 'ann')
      const [saved] = (await suggested(FILE)) ?? []
      expect(saved).toMatchObject({ name: 'ERP', everyone: false, mapping: MAPPING, values, locale: 'de-DE' })
      const content = 'Artikel,Titel,Preis\na,n,1.003\n'
      expect(await imported(content, saved as Saved)).toMatchObject({ created: 1, failed: 0 })
      expect((await api.get('/goods/')).data()).toMatchObject([{ code: 'a', name: 'Nut', price: 1003 }])
    })

    test.each([
      ['another order', 'Preis,Artikel,Titel\n3,a,Nut\n'],
      ['another letter case', 'ARTIKEL,titel,Preis\na,Nut,3\n'],
      ['blanks around the headers', ' Artikel ,Titel, Preis\na,Nut,3\n'],
      ['the column of a file of failed rows', 'Artikel,Titel,Preis,Errors\na,Nut,3,wrong\n'],
      ['titles above the header', 'Goods 2026,,\n,,\nArtikel,Titel,Preis\na,Nut,3\n'],
    ])('gets it for a file with %s, and the import takes it', async (_, content) => {
      await save({}, 'ann')
      const [saved] = (await suggested(content)) ?? []
      expect(saved).toMatchObject({ mapping: MAPPING })
      expect(await imported(content, saved as Saved)).toMatchObject({ created: 1, failed: 0 })
    })

    test.each([
      ['a column more', 'Artikel,Titel,Preis,Farbe\na,Nut,3,red\n'],
      ['a column less', 'Artikel,Titel\na,Nut\n'],
      ['another header', 'Artikel,Titel,Kosten\na,Nut,3\n'],
    ])('does not get it for a file with %s', async (_, content) => {
      await save({}, 'ann')
      expect(await suggested(content)).toEqual([])
    })

    test('replaces a mapping by saving another one with its headers and name', async () => {
      const first = await save({ name: 'ERP' }, 'ann')
      const again = await save({ name: 'ERP', mapping: { Artikel: 'code', Titel: 'name', Preis: null } }, 'ann')
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.data<Saved>().id).toBe(first.data<Saved>().id)
      expect(await list('ann')).toMatchObject([{ name: 'ERP', mapping: { Preis: null } }])
    })

    test('neither sees, nor gets, nor deletes a mapping of another user', async () => {
      const { id } = (await save({}, 'ann')).data<Saved>()
      expect(await list('ben')).toEqual([])
      expect(await suggested(FILE, { as: 'ben' })).toEqual([])
      expect((await remove(id, 'ben')).status).toBe(404)
      expect((await remove(id, 'chief')).status).toBe(404)
      expect(await list('ann')).toHaveLength(1)
    })

    test('may not import, and then has no mappings either', async () => {
      expect((await save({}, 'nina')).status).toBe(403)
      expect((await api.get('/goods/import-mappings/', { as: 'nina' })).status).toBe(403)
      expect((await remove('0'.repeat(64), 'nina')).status).toBe(403)
    })

    test('is needed for a mapping of their own', async () => {
      const refused = await save({})
      expect(refused.status).toBe(401)
      expect(refused.envelope().message).toBe('Only a signed-in user can save a mapping. Sign in first.')
    })
  })

  describe('a mapping of everyone', () => {
    test('is saved and deleted by an admin only', async () => {
      expect((await save({ everyone: true }, 'ann')).status).toBe(403)
      expect((await save({ everyone: true })).status).toBe(401)
      const { id } = (await save({ everyone: true }, 'chief')).data<Saved>()
      expect((await remove(id, 'ann')).status).toBe(403)
      expect((await remove(id)).status).toBe(401)
      expect((await remove(id, 'chief')).status).toBe(204)
    })

    test('is seen by all, after own ones', async () => {
      await save({ name: 'mine' }, 'ann')
      await save({ name: 'all', everyone: true }, 'chief')
      await save({ name: 'later' }, 'ann')
      const names = (all: readonly Saved[] | undefined) => all?.map(({ name, everyone }) => [name, everyone])
      const ofAnn = [
        ['later', false],
        ['mine', false],
        ['all', true],
      ]
      expect(names(await list('ann'))).toEqual(ofAnn)
      expect(names(await suggested(FILE))).toEqual(ofAnn)
      expect(names(await list('ben'))).toEqual([['all', true]])
      expect(names(await list())).toEqual([['all', true]])
    })

    test('and one of a user may have the same name', async () => {
      await save({ name: 'ERP', everyone: true }, 'chief')
      await save({ name: 'ERP' }, 'chief')
      expect(await list('chief')).toHaveLength(2)
    })
  })

  describe('a mapping', () => {
    test('belongs to its resource', async () => {
      const { id } = (await save({}, 'ann')).data<Saved>()
      expect(await list('ann', 'others')).toEqual([])
      expect(await suggested(FILE, { resource: 'others' })).toEqual([])
      expect((await remove(id, 'ann', 'others')).status).toBe(404)
    })

    test('belongs to its tenant, also one of everyone', async () => {
      const { id } = (await save({ everyone: true }, 'chief', 'ofFirm')).data<Saved>()
      expect(await suggested(FILE, { as: 'ann', resource: 'ofFirm' })).toHaveLength(1)
      expect(await list('cleo', 'ofFirm')).toEqual([])
      expect(await suggested(FILE, { as: 'cleo', resource: 'ofFirm' })).toEqual([])
      expect((await remove(id, 'cleo', 'ofFirm')).status).toBe(404)
      expect((await save({})).status).toBe(401)
      expect((await api.get('/ofFirm/import-mappings/')).status).toBe(403)
    })

    test('names the sheet of a workbook, and another file may call the sheet otherwise', async () => {
      const rows = [HEADERS, ['a', 'Nut', 3]]
      const notes = [['Notes'], ['Call Bob']]
      const headers = { Juni: HEADERS, Notes: ['Notes'] }
      await save({ headers, mapping: { Juni: MAPPING } }, 'ann')
      const file = await workbook({ Notes: notes, Juli: rows })
      const [saved] = (await suggested(file, { filename: 'goods.xlsx' })) ?? []
      expect(saved?.mapping).toEqual({ Juli: MAPPING })
      expect(await imported(file, saved as Saved, { filename: 'goods.xlsx' })).toMatchObject({ created: 1 })
    })

    test('sets the row of the header, which is found in the file', async () => {
      await save({ header_row: 1 }, 'ann')
      const content = 'Goods,2026,\nArtikel,Titel,Preis\na,Nut,3\n'
      const [saved] = (await suggested(content)) ?? []
      expect(saved?.header_row).toBe(2)
      expect(await imported(content, saved as Saved)).toMatchObject({ created: 1, failed: 0 })
    })

    test('sets the row by the name of the sheet, which may be another in the next file', async () => {
      const headers = { May: HEADERS }
      expect((await save({ headers, header_row: { may: 1 } }, 'ann')).status).toBe(201)
      const rows = [['Goods', '2026'], HEADERS, ['a', 'Nut', 3]]
      const content = await workbook({ June: rows, Notes: [['x']] })
      const [saved] = (await suggested(content)) ?? []
      expect(saved?.header_row).toEqual({ June: 2 })
      expect(await imported(content, saved as Saved)).toMatchObject({ created: 1, failed: 0 })
    })

    test('sets a row behind many blank ones', async () => {
      expect((await save({ header_row: 42 }, 'ann')).status).toBe(201)
      const [saved] = (await suggested(`Goods,2026,\n${'\n'.repeat(40)}Artikel,Titel,Preis\na,Nut,3\n`)) ?? []
      expect(saved?.header_row).toBe(42)
    })

    test('is one of a page', async () => {
      for (const name of ['a', 'b', 'c']) await save({ name }, 'ann')
      const page = await api.get('/goods/import-mappings/?page_size=2&page=2', { as: 'ann' })
      expect(page.envelope()).toMatchObject({ count: 3, next: null, previous: expect.stringContaining('page_size=2') })
      expect(page.data()).toHaveLength(1)
      expect((await api.get('/goods/import-mappings/?pages=2', { as: 'ann' })).status).toBe(400)
    })

    test('is not found under another path', async () => {
      expect((await remove('unknown', 'ann')).status).toBe(404)
      expect((await remove('0'.repeat(64), 'ann')).status).toBe(404)
    })
  })

  describe('fields', () => {
    const values = { Preis: { free: '0' }, Titel: { n: 'Nut' }, Farbe: { red: 'r' } }
    const headers = [...HEADERS, 'Farbe']
    const content = 'Artikel,Titel,Preis,Farbe\na,n,free,red\n'

    test('that are gone are left out of a mapping, with the values of their columns', async () => {
      const gone = { ...MAPPING, Preis: 'cost', Titel: ['name', 'title'] }
      await save({ headers, values }, 'ann')
      await api.database.use(() =>
        currentDb()
          .update(importMappings)
          .set({ choice: { mapping: gone, values } }),
      )
      const left = {
        mapping: { Artikel: 'code', Titel: ['name'] },
        values: { Titel: { n: 'Nut' }, Farbe: { red: 'r' } },
      }
      const [saved] = (await suggested(content)) ?? []
      expect(saved).toMatchObject(left)
      expect(saved?.values).toEqual(left.values)
      expect(await imported(content, saved as Saved)).toMatchObject({ created: 1, failed: 0 })
      expect(await list('ann')).toMatchObject([left])
    })

    test('that a user may not see are left out of a mapping, with the values of their columns', async () => {
      await save({ headers, values, everyone: true }, 'chief', 'priced')
      const left = { mapping: { Artikel: 'code', Titel: 'name' }, values: { Titel: { n: 'Nut' } } }
      const [saved] = (await suggested(content, { as: 'unit', resource: 'priced' })) ?? []
      expect(saved).toMatchObject(left)
      expect(JSON.stringify([saved, await list('unit', 'priced')])).not.toMatch(/price|Preis|free/)
      expect(await imported(content, saved as Saved, { as: 'unit', resource: 'priced' })).toMatchObject({ created: 1 })
      expect(await suggested(content, { as: 'ann', resource: 'priced' })).toMatchObject([{ mapping: MAPPING, values }])
    })

    test('that a user may not see cannot be saved, and no message names them', async () => {
      const refused = await save({}, 'unit', 'priced')
      expect(refused.status).toBe(400)
      const [problem = ''] = refused.envelope().errors?.mapping ?? []
      expect(problem).toMatch(/^"Preis": "price" is not imported/)
      expect(problem.replace('"Preis": "price"', '')).not.toMatch(/price/)
    })
  })

  describe('an edited file', () => {
    test('gets no saved mapping', async () => {
      await api.post('/goods/', { code: 'a', name: 'Nut', price: 3 })
      const body = { file_type: 'xlsx', for_editing: true }
      const { bytes } = await api.post('/goods/export/', body, { as: 'ann' })
      const more = { filename: 'goods.xlsx' }
      const { sheets } = (await send('import-preview', bytes, {}, { as: 'ann', ...more })).data<Preview>()
      const headers = sheets[0]?.headers.map(({ header }) => header) ?? []
      expect((await save({ headers, mapping: { [headers[1] ?? '']: null } }, 'ann')).status).toBe(201)
      expect(await suggested(bytes, more)).toEqual([])
    })
  })

  describe('an API without the table', () => {
    const { importMappings: _, tables, settings, ...others } = options
    const without = useApi(dialect, { ...others, tables: { goods, pins }, settings, openapi: true })

    test('has no routes for mappings, and its previews name none', async () => {
      expect((await without.get('/goods/import-mappings/')).status).toBe(404)
      expect((await without.post('/goods/import-mappings/', {})).status).toBe(405)
      const sent = form({ name: 'file', filename: 'goods.csv', content: FILE })
      const preview = await without.request('POST', '/goods/import-preview/', sent)
      expect(preview.data()).not.toHaveProperty('saved_mappings')
      expect(Object.keys(JSON.parse((await without.get('/openapi.json')).text).paths).join()).not.toMatch(/mappings/)
    })
  })

  describe('a wrong option', () => {
    const register = (wrong: object) =>
      createApi({ database: api.database, resources: {}, importMappings: wrong } as unknown as ApiOptions)

    test('stops the start', () => {
      expect(() => register({})).toThrow(
        'api.importMappings: table: is required; give the table importMappings as ImportMappingTable() of the kit makes it',
      )
      expect(() => register({ table: importMappings, admins: [] })).toThrow(/api\.importMappings: .*admins/)
    })
  })

  describe('a preview', () => {
    // The other driver's Drizzle does not count.
    test.runIf(dialect.name === 'sqlite')('costs one statement more for all saved mappings', async () => {
      for (const name of ['a', 'b', 'c']) await save({ name }, 'ann')
      const statements = await api.statementsOf(() => suggested(FILE))
      expect(statements.filter(text => text.includes('viewset_import_mappings'))).toHaveLength(1)
    })

    test('applies no saved mapping', async () => {
      await save({}, 'ann')
      const { sheets } = (await send('import-preview', FILE, {}, { as: 'ann' })).data<{
        sheets: { headers: { field: string | null }[] }[]
      }>()
      expect(sheets[0]?.headers.map(({ field }) => field)).toEqual([null, null, null])
      const refused = await send('import-from-file', FILE, { append_data: 'true' }, { as: 'ann' })
      expect(refused.status).toBe(400)
    })
  })

  describe('a request to save', () => {
    test.each([
      ['no headers', { headers: undefined }, 'headers'],
      ['headers that are no list', { headers: 'Artikel' }, 'headers'],
      ['an empty list of headers', { headers: [] }, 'headers'],
      ['too many headers', { headers: Array.from({ length: 1_001 }, (_, at) => `h${at}`) }, 'headers'],
      [
        'too many sheets',
        { headers: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [at, ['a']])) },
        'headers',
      ],
      ['no choice', { mapping: undefined }, 'mapping'],
      ['a mapping of another form', { mapping: { Artikel: 1 } }, 'mapping'],
      ['a header that the file lacks', { mapping: { Artikl: 'code' } }, 'mapping'],
      ['a field that is not imported', { mapping: { Artikel: 'cod' } }, 'mapping'],
      ['two columns for one field', { mapping: { Artikel: 'code', Titel: 'code' } }, 'mapping'],
      ['values of another form', { values: { Titel: 'x' } }, 'values'],
      ['values of a missing column', { values: { Farbe: { red: 'r' } } }, 'values'],
      ['an unknown language', { locale: 'German' }, 'locale'],
      ['a row that is no number', { header_row: '3' }, 'header_row'],
      ['a row below 1', { header_row: 0 }, 'header_row'],
      ['the row of an unknown sheet', { headers: { Juni: HEADERS }, header_row: { Juli: 1 } }, 'header_row'],
      ['the row of a sheet for a list of headers', { header_row: { Juni: 1 } }, 'header_row'],
      ['null in place of a mapping', { mapping: null }, 'mapping'],
      ['a name that is no text', { name: 7 }, 'name'],
      ['a long name', { name: 'x'.repeat(101) }, 'name'],
      ['another value for everyone', { everyone: 'yes' }, 'everyone'],
      ['an unknown key', { sheet: 'Juni' }, 'sheet'],
      ['much', { values: { Titel: { [`${'x'.repeat(60_000)}`]: 'y' } } }, 'values'],
    ])('with %s is refused', async (_, body, field) => {
      const refused = await save(body, 'ann')
      expect([refused.status, Object.keys(refused.envelope().errors ?? {})]).toEqual([400, [field]])
      expect(await list('ann')).toEqual([])
    })

    test('with values of a sensitive column is refused', async () => {
      const body = { headers: ['code', 'Geheim'], mapping: { Geheim: 'pin' }, values: { Geheim: { x: '1' } } }
      expect((await save(body, 'ann', 'pins')).envelope().errors).toHaveProperty('values')
    })

    test('with one mapping too many is refused, and a replacement is not', async () => {
      for (const name of ['a', 'b', 'c']) await save({ name }, 'ann')
      const refused = await save({ name: 'd' }, 'ann')
      expect(refused.status).toBe(409)
      expect(refused.envelope().message).toBe(
        'There are 3 saved mappings already, and more are not allowed. Delete one first.',
      )
      expect((await save({ name: 'a' }, 'ann')).status).toBe(201)
      expect((await save({ name: 'd' }, 'ben')).status).toBe(201)
      expect((await save({ name: 'd', everyone: true }, 'chief')).status).toBe(201)
    })

    test('is one of several at the same time, and no more are saved than allowed', async () => {
      const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(name => save({ name }, 'ann')))
      const statuses = answers.map(({ status }) => status).toSorted()
      expect(statuses).toEqual([201, 201, 201, 409, 409, 409])
      expect(await list('ann')).toHaveLength(3)
    })

    test('at the same time with the same name stores one mapping', async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => save({ name: 'ERP' }, 'ann')))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201])
      expect(await list('ann')).toHaveLength(1)
    })
  })
})
