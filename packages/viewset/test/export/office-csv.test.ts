import { randomUUID } from 'node:crypto'
import { asc, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  compose,
  currentDb,
  ExportService,
  ExpressionField,
  FileExportMixin,
  FileImportMixin,
  ImportService,
  importModel,
  insertMany,
  ListModelMixin,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { type LocaleForms, localeForms } from '../../src/kinds/locale/locale-forms.ts'
import { readTimestamp } from '../../src/kinds/timestamp.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'
import { problemOf } from '../support/problem.ts'
import { bigints, booleans, dates, decimals, type integers, text, timestamps } from '../support/random-values.ts'

const LOCALES = [
  'de-DE',
  'de-CH',
  'en-US',
  'en-CA',
  'fr-CA',
  'es-MX',
  'sv-SE',
  'fi-FI',
  'bg-BG',
  'hu-HU',
  'lv-LV',
  'ja-JP',
  'ko-KR',
  'zh-TW',
  'hi-IN',
  'ar-EG',
  'he-IL',
  'fa-IR-u-ca-gregory',
] as const

describe('a moment', () => {
  const formOf = (locale: string) => localeForms(locale).timestamp as NonNullable<LocaleForms['timestamp']>
  const moments = fc
    .tuple(
      fc.date({ min: new Date('1900-01-02'), max: new Date('2099-12-30'), noInvalidDate: true }),
      fc.constantFrom('000000', '500000', '123456', '000001'),
    )
    .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}.${fraction}Z`)

  test('in the form of a locale is read as the same moment, in every zone', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(fc.constantFrom(...LOCALES), zones, moments, (locale, zone, moment) => {
        const form = formOf(locale)
        expect(readTimestamp(form.read(form.writeIn!(moment, zone)), zone)).toBe(moment)
      }),
      { numRuns: cases(3_000) },
    )
  })

  test.each([
    ['de-DE', '15.07.2026 12:30:00'],
    ['en-US', '07/15/2026 12:30:00 PM'],
    ['en-GB', '15/07/2026 12:30:00'],
    ['fr-CA', '2026-07-15 12 h 30 min 00 s'],
    ['ja-JP', '2026/07/15 12:30:00'],
  ])('is written as in %s, in the zone of the API', (locale, expected) => {
    expect(formOf(locale).writeIn?.('2026-07-15T10:30:00.000000Z', 'Europe/Berlin')).toBe(expected)
  })

  test('of the hour that occurs twice is ISO the second time', () => {
    const write = (moment: string) => formOf('de-DE').writeIn?.(moment, 'Europe/Berlin')
    expect(write('2026-10-25T00:30:00.000000Z')).toBe('25.10.2026 02:30:00')
    expect(write('2026-10-25T01:30:00.000000Z')).toBe('2026-10-25T01:30:00.000000Z')
  })
})

function tablesOf(c: ColumnKit) {
  const samples = c.table('samples', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    code: c.integer().notNull().unique(),
    text: c.text(),
    big: c.bigint(),
    price: c.decimal(15, 3),
    ratio: c.float(),
    flag: c.boolean(),
    day: c.date(),
    moment: c.timestamp(),
    sizes: c.array(c.float()),
  })
  return { samples, ...c.JobTables() }
}

const fields = ['code', 'text', 'big', 'price', 'ratio', 'flag', 'day', 'moment', 'sizes'] as const

describeDialects('CSV for an office', dialect => {
  const tables = tablesOf(dialect.kit)
  const { samples, jobs, jobErrors } = tables
  const serializer = BaseModelSerializer(samples, {
    fields: [...fields],
    extra: {
      half: sample => sample.code / 2,
      isFirst: sample => sample.code === 1,
      double: ExpressionField({ expression: sql`${samples.price} * 2`, type: 'decimal', scale: 3 }),
    },
  })
  const resource = (locale?: string, more: object = {}) =>
    compose(
      ListModelMixin,
      FileExportMixin,
      FileImportMixin,
    )({
      model: samples,
      serializer,
      permissionClasses: [AllowAny],
      ordering: 'code',
      importFileConfig: {
        fileFormat: 'csv',
        order: ['samples'],
        models: { samples: importModel({ model: samples, fields, uniqueFields: ['code'] }) },
        ...(locale && { locale }),
      },
      ...more,
    })
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' } },
    settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } },
    resources: {
      ...Object.fromEntries(LOCALES.map(locale => [locale.toLowerCase(), resource(locale)])),
      open: resource(),
      german: resource('de-DE', { csvLocale: 'de-DE' }),
      tabs: resource('de-DE', { csvLocale: 'de-DE', csvDelimiter: '\t' }),
    },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const store = (...rows: object[]) =>
    api.database.transaction(() => insertMany(samples, rows.map((row, at) => ({ code: at + 1, ...row })) as never))
  const sample = {
    text: '=1+1; 2,5',
    big: -12345678901234567n,
    price: '-1234.500',
    ratio: 0.25,
    flag: true,
    day: '2026-01-15',
    moment: '2026-07-15T10:30:00.500000Z',
    sizes: [1.5, 2],
  }
  const exported = async (path: string, body: object = {}) =>
    (await api.post(`/${path}/export/`, { file_type: 'csv', ...body })).text

  const GERMAN = [
    'Code;Text;Big;Price;Ratio;Flag;Day;Moment;Sizes;Half;Is first;Double',
    `1;"'=1+1; 2,5";-12345678901234567;"-1234,500";"0,25";ja;15.01.2026;"15.07.2026 12:30:00,5";"1.5, 2";"0,5";ja;"-2469,000"`,
    '2;;;;;;;;;1;nein;',
    '',
  ].join('\r\n')

  test('has the delimiter, the decimal sign and the dates of a locale', async () => {
    await store(sample, {})
    expect(await exported('de-de', { locale: 'de-DE' })).toBe(GERMAN)
  })

  test('is a setting of a resource, which a request may overrule', async () => {
    await store(sample, {})
    expect(await exported('german')).toBe(GERMAN)
    expect(await exported('german', { locale: null, delimiter: null })).toBe(GERMAN)
    const [, row] = (await exported('tabs', { locale: 'en-US' })).split('\r\n')
    expect(row?.split('\t').slice(3, 8)).toEqual([
      '-1234.500',
      '0.25',
      'true',
      '01/15/2026',
      '07/15/2026 12:30:00.5 PM',
    ])
    const comma = await exported('tabs', { delimiter: ',', includes: ['code', 'price'] })
    expect(comma).toBe('Code,Price\r\n1,"-1234,500"\r\n2,\r\n')
  })

  test('may have another delimiter alone', async () => {
    await store(sample)
    const file = await exported('de-de', { delimiter: ';', includes: ['price', 'day', 'flag', 'moment'] })
    expect(file).toBe('Price;Day;Flag;Moment\r\n-1234.500;2026-01-15;true;2026-07-15T10:30:00.500000Z\r\n')
  })

  test('changes nothing in a file without these options, nor in a workbook', async () => {
    await store(sample)
    expect((await exported('de-de')).split('\r\n')[1]).toBe(
      `1,"'=1+1; 2,5",-12345678901234567,-1234.500,0.25,true,2026-01-15,2026-07-15T10:30:00.500000Z,"1.5, 2",0.5,true,-2469.000`,
    )
    const cells = async (body: object) => {
      const { bytes } = await api.post('/de-de/export/', { file_type: 'xlsx', title: 'x', ...body })
      return (await readXlsx(bytes)).sheets[0]?.rows
    }
    expect(await cells({ locale: 'de-DE', delimiter: ';' })).toEqual(await cells({}))
  })

  test('writes rows of the client, and their formulas as texts', async () => {
    const data = [
      { price: '-1.5', day: '=1+1', moment: '@x', flag: 'maybe', ratio: '=2', text: -1.5 },
      { price: 'none', day: 5, flag: 0 },
    ]
    const includes = ['price', 'day', 'moment', 'flag', 'ratio', 'text']
    expect(await exported('german', { data, includes })).toBe(
      `Price;Day;Moment;Flag;Ratio;Text\r\n"-1,5";'=1+1;'@x;maybe;'=2;-1.5\r\nnone;5;;0;;\r\n`,
    )
  })

  test('is made in the background, too', async () => {
    await store(sample, {})
    const path = '/de-de/export/?background=true'
    const as = { as: 'ann' }
    const refused = await api.post(path, { file_type: 'csv', locale: 'de_DE' }, as)
    expect(refused.envelope().errors).toEqual({ locale: ['"de_DE" is not a language tag. Write it like "de-DE".'] })
    const { id } = (await api.post(path, { file_type: 'csv', locale: 'de-DE' }, as)).data<JobData>()
    await queue.run(id)
    expect((await api.get(`/jobs/${id}/file/`, as)).text).toBe(GERMAN)
  })

  test.each([
    [
      'en',
      '"|" is not a delimiter. Choose one of: "," ";" "\\t".',
      '"de_DE" is not a language tag. Write it like "de-DE".',
    ],
    [
      'de',
      '"|" ist kein Trennzeichen. Wählen Sie eines von: "," ";" "\\t".',
      '„de_DE“ ist kein Sprachkürzel. Schreiben Sie es wie „de-DE“.',
    ],
    [
      'fr',
      '"|" n’est pas un séparateur. Choisissez parmi : "," ";" "\\t".',
      '« de_DE » n’est pas un code de langue. Écrivez-le comme « de-DE ».',
    ],
    [
      'es',
      '"|" no es un separador. Elija uno de estos: "," ";" "\\t".',
      '«de_DE» no es un código de idioma. Escríbalo como «de-DE».',
    ],
    [
      'ja',
      '"|"は区切り文字ではありません。","、";"、"\\t"から選択してください。',
      '「de_DE」は言語タグではありません。「de-DE」のように入力してください。',
    ],
  ])('refuses other options in the language %s', async (language, delimiter, locale) => {
    const body = { file_type: 'csv', delimiter: '|', locale: 'de_DE' }
    const answer = await api.post('/german/export/', body, { headers: { 'accept-language': language } })
    expect(answer.status).toBe(400)
    expect(answer.envelope().errors).toEqual({ delimiter: [delimiter], locale: [locale] })
  })

  test.each([
    ['', '"" is not a language tag. Write it like "de-DE".'],
    ['x y', '"x y" is not a language tag. Write it like "de-DE".'],
    ['xx', 'Nothing is known of the language "xx".'],
    ['th-TH', '"th-TH" has the calendar "buddhist", which files cannot have. Write "th-TH-u-ca-gregory".'],
    [5, '5 is not a text. Send a text in quotes.'],
  ])('refuses the locale %j', async (locale, problem) => {
    const answer = await api.post('/german/export/', { file_type: 'csv', locale })
    expect([answer.status, answer.envelope().errors]).toEqual([400, { locale: [problem] }])
  })

  const orNull = (values: typeof integers) => fc.option(values.map(({ shown }) => shown))
  const row = fc.record({
    text: fc.option(
      text()
        .map(value => value.trim())
        .filter(value => value !== ''),
    ),
    big: orNull(bigints),
    price: orNull(decimals(15, 3)),
    ratio: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })),
    flag: orNull(booleans),
    day: orNull(dates),
    moment: orNull(timestamps),
    sizes: fc.option(fc.array(fc.integer().map(value => value / 4))),
  })

  test('is imported with its locale as it was exported', async () => {
    const stored = () => api.database.transaction(() => currentDb().select().from(samples).orderBy(asc(samples.code)))
    const withoutId = (found: Awaited<ReturnType<typeof stored>>) => found.map(({ id: _, ...values }) => values)
    const delimiters = fc.constantFrom(undefined, ',', ';', '\t')
    const big = (value: unknown) => (value === null ? null : BigInt(value as string))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...LOCALES),
        delimiters,
        fc.boolean(),
        fc.array(row, { minLength: 1, maxLength: 10 }),
        async (locale, delimiter, isInForm, rows) => {
          await api.clear()
          await store(...rows.map(values => ({ ...values, big: big(values.big) })))
          const before = withoutId(await stored())
          // The locale of the configuration, or of the form.
          const path = isInForm ? 'open' : locale.toLowerCase()
          const more = isInForm ? { locale } : {}
          const file = await exported(path, { locale, includes: fields, delimiter: delimiter ?? null })
          await api.database.transaction(() => currentDb().delete(samples))
          const answer = await api.request('POST', `/${path}/import-from-file/`, importForm(file, { more }))
          expect(answer.data()).toMatchObject({ failed: 0, created: rows.length })
          expect(withoutId(await stored())).toEqual(before)
        },
      ),
      { numRuns: cases(100) },
    )
  })

  test('is previewed and imported in the locale of the form, also by a job, before that of the configuration', async () => {
    const file = `${fields.join(';')}\n1;a;;1.234,50;;;31.12.2026;;\n`
    const send = (path: string, more: Readonly<Record<string, string>>) =>
      api.request('POST', path, { ...importForm(file, { more }), as: 'ann' })
    const german = { locale: 'de-DE' }
    const wrong = { failed: 1, errors: [{ field: 'price' }, { field: 'day' }] }
    expect((await send('/open/import-from-file/', {})).data()).toMatchObject(wrong)
    expect((await send('/en-us/import-from-file/', {})).data()).toMatchObject(wrong)
    const [previewed, unread] = await Promise.all(
      [german, {}].map(async more => (await send('/open/import-preview/', more)).data()),
    )
    expect(previewed).toMatchObject({ sheets: [{ rows: [{ problems: [] }] }] })
    expect(unread).toMatchObject({ sheets: [{ rows: [{ problems: [{ field: 'price' }, { field: 'day' }] }] }] })
    const stored = async () => (await api.get('/open/')).data()
    for (const path of ['/open/import-from-file/', '/en-us/import-from-file/?locale=de-DE']) {
      await api.clear()
      expect((await send(path, german)).data()).toMatchObject({ failed: 0, created: 1 })
      expect(await stored()).toMatchObject([{ code: 1, price: '1234.500', day: '2026-12-31' }])
    }
    await api.clear()
    const { id } = (await send('/open/import-from-file/', { ...german, background: 'true' })).data<JobData>()
    await queue.run(id)
    expect(await stored()).toMatchObject([{ code: 1, price: '1234.500', day: '2026-12-31' }])
    const refused = await send('/open/import-from-file/', { locale: 'de_DE' })
    expect(refused.envelope().errors).toEqual({ locale: ['"de_DE" is not a language tag. Write it like "de-DE".'] })
  })

  test('is imported even if its only column has commas', async () => {
    await store({ price: '1.500' }, { price: '2.250' })
    const models = { samples: importModel({ model: samples, fields: ['code', 'price'], uniqueFields: ['code'] }) }
    const imports = new ImportService(
      {
        fileFormat: 'csv',
        order: ['samples'],
        models,
        locale: 'de-DE',
        prepareRow: ({ Price }) => ({ price: Price, code: 9 }),
      },
      { database: api.database },
    )
    const file = await exported('german', { includes: ['price'], delimiter: ',' })
    expect(await imports.import(Buffer.from(file), { append: true })).toMatchObject({ failed: 0, processed: 2 })
    expect(await exported('de-de', { includes: ['code', 'price'] })).toContain('9,2.250')
  })
})

test.each([
  [{ csvDelimiter: '|' }, 'csvDelimiter: must be a comma, a semicolon or a tab'],
  [{ csvDelimiter: '' }, 'csvDelimiter: must be a comma, a semicolon or a tab'],
  [{ csvLocale: 'de_DE' }, 'csvLocale: "de_DE" is not a language tag; did you mean "de-DE"?'],
  [{ csvLocale: 'xx' }, 'csvLocale: nothing is known of "xx"; write a language tag, such as "de-DE"'],
  [
    { csvLocale: 'th-TH' },
    'csvLocale: dates of the calendar "buddhist" cannot be read; write "th-TH-u-ca-gregory" for files with others',
  ],
])('an export refuses the setting %j', async (settings, problem) => {
  const { kit } = await import('viewset/sqlite')
  const serializer = BaseModelSerializer(tablesOf(kit).samples, { fields: ['code'] })
  expect(problemOf(() => new ExportService(serializer, settings as never))).toBe(`export of "samples": ${problem}`)
})
