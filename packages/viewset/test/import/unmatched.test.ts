import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  IdToDataField,
  type ImportFileConfig,
  ImportService,
  importForeignKey,
  importModel,
  scoped,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'

interface Unmatched {
  readonly text: string
  readonly count: number
  readonly suggestions: readonly string[]
}
interface Preview {
  readonly sheets: readonly { readonly rows: readonly unknown[]; readonly unmatched?: Record<string, Unmatched[]> }[]
}

describeDialects('a header that feeds two relations', dialect => {
  const { kit } = dialect
  const [makers, towns] = [named('makers'), named('towns')]
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    maker: kit.foreignKey(makers),
    town: kit.foreignKey(towns),
  })
  const api = useApi(dialect, { tables: { makers, towns, goods }, resources: {} })
  const reference = <const S extends string>(model: typeof makers, sourceField: S) =>
    importForeignKey({ model, lookupField: 'name', sourceField })

  function named(table: string) {
    return kit.table(table, { id: kit.integer().primaryKey(), name: kit.text(20).notNull().unique() })
  }

  test('counts a row once, and suggests records of both', async () => {
    const service = new ImportService(
      {
        fileFormat: 'csv',
        order: ['goods'],
        headers: { From: ['Maker', 'Town'] },
        models: {
          goods: importModel({
            model: goods,
            fields: [],
            createOnly: true,
            foreignKeys: { maker: reference(makers, 'Maker'), town: reference(towns, 'Town') },
          }),
        },
      },
      { database: api.database },
    )
    await api.database.use(() => currentDb().insert(makers).values({ name: 'Boston Ltd' }))
    await api.database.use(() => currentDb().insert(towns).values({ name: 'Boston' }))
    const { unmatched } = await service.import(Buffer.from('From\nboston l\nboston l\n'), {
      append: true,
      dryRun: true,
    })
    expect(unmatched).toEqual({ From: [{ text: 'boston l', count: 2, suggestions: ['Boston Ltd', 'Boston'] }] })
  })

  test('lists the texts of most rows, also after many rare ones', async () => {
    const service = new ImportService(
      {
        fileFormat: 'csv',
        order: ['goods'],
        models: {
          goods: importModel({
            model: goods,
            fields: [],
            createOnly: true,
            foreignKeys: { maker: reference(makers, 'Maker') },
          }),
        },
      },
      { database: api.database },
    )
    const rare = Array.from({ length: 1_100 }, (_, at) => `T${at}`)
    const file = ['Maker', ...rare, ...Array.from({ length: 30 }, () => 'often')].join('\n')
    const { unmatched } = await service.import(Buffer.from(file), { append: true, dryRun: true })
    expect(unmatched?.Maker?.[0]).toMatchObject({ text: 'often', count: 30 })
  })
})

describeDialects('texts that match nothing', dialect => {
  const { kit } = dialect
  const countries = kit.table('countries', {
    id: kit.integer().primaryKey(),
    iso: kit.text(20).notNull().unique(),
    tenant: kit.integer().notNull().default(1),
  })
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    country: kit.integer().references(() => countries.id),
    state: kit.enumeration(['draft', 'published']),
    grade: kit.enumeration(['high', 'low']),
    parent: kit.text(10),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const config = (more: Partial<ImportFileConfig> = {}): ImportFileConfig => ({
    fileFormat: ['csv', 'xlsx'],
    order: ['goods'],
    models: {
      goods: importModel({
        model: goods,
        fields: ['code', 'state', 'grade'],
        uniqueFields: ['code'],
        foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso', sourceField: 'Country' }) },
      }),
    },
    ...more,
  })
  const ofTenant = scoped(countries, () => eq(countries.tenant, 1))
  const fields = ['id', 'code', 'country', 'state', 'grade'] as const
  const serializer = BaseModelSerializer(goods, {
    fields: [...fields],
    writeOnly: ['grade'],
    extra: {
      country: IdToDataField({ queryset: ofTenant, serializer: BaseModelSerializer(countries, { fields: ['iso'] }) }),
    },
  })
  const resource = (importFileConfig: ImportFileConfig) =>
    BulkImportableViewSet({ model: goods, serializer, permissionClasses: [AllowAny], importFileConfig })
  const api = useApi(dialect, {
    tables: { countries, goods, jobs, jobErrors },
    resources: {
      goods: resource(config()),
      open: resource(
        config({ prepareRow: row => ({ ...row, Country: row.Country === 'Suede' ? 'XX' : row.Country }) }),
      ),
    },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const post = (action: string, content: string, parts: Readonly<Record<string, string>>, name = 'goods') => {
    const all = Object.entries(parts).map(([key, value]) => ({ name: key, value }))
    return api.post(`/${name}/${action}/`, undefined, form({ name: 'file', filename: 'goods.csv', content }, ...all))
  }
  const tried = async (content: string, parts: Readonly<Record<string, string>> = {}, name?: string) =>
    (await post('import-from-file', content, { append_data: 'true', dry_run: 'true', ...parts }, name)).data<{
      failed: number
      unmatched?: Record<string, Unmatched[]>
    }>()
  const previewed = async (content: string, parts: Readonly<Record<string, string>> = {}, name?: string) =>
    (await post('import-preview', content, parts, name)).data<Preview>().sheets[0]

  const store = (records: readonly (typeof countries.$inferInsert)[]) =>
    api.database.use(async () =>
      currentDb()
        .insert(countries)
        .values([...records]),
    )

  const HEADER = 'code,Country,state,grade\n'
  const FILE = `${HEADER}a,Norge,Published,high\nb,Suede,published,higher\nc,Norge,publshed,low\nd,SE,,\ne,no,draft,\nf,,draft,\n`
  const COUNTRY = [
    { text: 'Norge', count: 2, suggestions: ['NO'] },
    { text: 'Suede', count: 1, suggestions: [] },
    { text: 'no', count: 1, suggestions: ['NO'] },
  ]
  const UNMATCHED = {
    Country: COUNTRY,
    state: [
      { text: 'Published', count: 1, suggestions: ['published'] },
      { text: 'publshed', count: 1, suggestions: ['published'] },
    ],
  }
  const MEANT = {
    Country: { Norge: 'NO', Suede: 'SE', no: 'NO' },
    state: { Published: 'published', publshed: 'published' },
    grade: { higher: 'high' },
  }
  beforeEach(async () => {
    await store([
      { iso: 'NO', tenant: 1 },
      { iso: 'SE', tenant: 1 },
      { iso: 'Suedeland', tenant: 2 },
    ])
  })

  test('a dry run lists them by header, with counts and suggestions from what the user may refer to', async () => {
    expect((await tried(FILE)).unmatched).toEqual(UNMATCHED)
  })

  test('a preview lists them too', async () => {
    const sheet = await previewed(FILE)
    expect(sheet?.unmatched).toEqual(UNMATCHED)
    expect(sheet?.rows).toHaveLength(6)
  })

  test('a job of a dry run has them in its result', async () => {
    const parts = { append_data: 'true', dry_run: 'true', background: 'true' }
    const { id } = (await post('import-from-file', FILE, parts)).data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/`)).data<JobData>().result).toMatchObject({ unmatched: UNMATCHED })
  })

  test('the answer makes the values of the next request', async () => {
    const values = { values: JSON.stringify(MEANT) }
    expect(await tried(FILE, values)).toMatchObject({ failed: 0 })
    expect(await tried(FILE, values)).not.toHaveProperty('unmatched')
    expect(await previewed(FILE, values)).not.toHaveProperty('unmatched')
  })

  test('a text whose value matches nothing is listed as it stands in the file', async () => {
    const values = { values: '{"Country":{"Norge":"XY"}}' }
    for (const unmatched of [(await tried(FILE, values)).unmatched, (await previewed(FILE, values))?.unmatched]) {
      expect(unmatched?.Country).toContainEqual({ text: 'Norge', count: 2, suggestions: ['NO'] })
    }
  })

  test('a text that prepareRow changes is listed as it stands in the file', async () => {
    expect((await tried(FILE, {}, 'open')).unmatched).toEqual(UNMATCHED)
    expect((await previewed(FILE, {}, 'open'))?.unmatched).toEqual(UNMATCHED)
  })

  test('an import that stores its rows has none', async () => {
    const answer = await post('import-from-file', FILE, { append_data: 'true' })
    expect(answer.status).toBe(207)
    expect(answer.data()).not.toHaveProperty('unmatched')
  })

  test('a column lists 50 texts, those in the most rows first; a preview reads 1,000 rows', async () => {
    const rows = Array.from({ length: 1_100 }, (_, at) => `c${at},X${at < 1_050 ? at % 60 : 'last'},,\n`)
    const { unmatched } = await tried(HEADER + rows.join(''))
    expect(unmatched?.Country).toHaveLength(50)
    expect(unmatched?.Country?.slice(0, 2)).toEqual([
      { text: 'Xlast', count: 50, suggestions: [] },
      { text: 'X0', count: 18, suggestions: [] },
    ])
    const sheet = await previewed(HEADER + rows.join(''))
    expect(sheet?.unmatched?.Country?.[0]).toMatchObject({ text: 'X0', count: 17 })
    expect(sheet?.rows).toHaveLength(20)
    // The functions of the application see the first 20 rows only.
    expect((await previewed(HEADER + rows.join(''), {}, 'open'))?.unmatched?.Country).toHaveLength(20)
  })

  test('of many records, those that begin with the same letters are compared', async () => {
    await store(Array.from({ length: 1_200 }, (_, at) => ({ iso: `A${String(at).padStart(5, '0')}`, tenant: 1 })))
    const { unmatched } = await tried(`${HEADER}a,norway,,\nb,Se,,\n`)
    expect(unmatched?.Country).toEqual([
      { text: 'norway', count: 1, suggestions: ['NO'] },
      { text: 'Se', count: 1, suggestions: ['SE'] },
    ])
  })

  describe('in code', () => {
    const parents: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'goods'],
      models: {
        countries: importModel({ model: countries, fields: ['iso'], uniqueFields: ['iso'] }),
        goods: importModel({
          model: goods,
          fields: ['code'],
          uniqueFields: ['code'],
          foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso', sourceField: 'From' }) },
        }),
      },
    }

    test('a text that a row of the file stores is matched', async () => {
      const service = new ImportService(parents, { database: api.database })
      const file = Buffer.from('iso,code,From\nDK,a,DK\nDE,b,Denmark\nDE,c,Dk\n')
      const { unmatched } = await service.import(file, { append: true, dryRun: true })
      expect(unmatched).toEqual({
        From: [
          { text: 'Denmark', count: 1, suggestions: [] },
          { text: 'Dk', count: 1, suggestions: ['DK'] },
        ],
      })
      // Later rows of the file may store any text.
      expect((await service.preview(file)).sheets[0]).not.toHaveProperty('unmatched')
    })

    test('without a database, a preview lists the texts that are no choice', async () => {
      const { sheets } = await new ImportService(config()).preview(Buffer.from(FILE))
      expect(sheets[0]?.unmatched).toMatchObject({ state: [{ text: 'Published' }, { text: 'publshed' }] })
      expect(sheets[0]?.unmatched).not.toHaveProperty('Country')
    })
  })
})
