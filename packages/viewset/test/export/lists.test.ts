import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { asc } from 'drizzle-orm'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  type ColumnKit,
  CustomOutputField,
  compose,
  currentDb,
  ExportService,
  FileExportMixin,
  FileImportMixin,
  IdToDataField,
  ImportService,
  importManyToMany,
  importModel,
  insertMany,
  ListModelMixin,
  ManyDataToIdField,
  ManyStrOnlyField,
  QuerySet,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { CellProblem } from '../../src/kinds/cells.ts'
import { listText, readList } from '../../src/kinds/list-text.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { csv, useDatabase } from '../support/imports.ts'
import { importForm } from '../support/multipart.ts'
import { booleans, dates, decimals, integers, text, timestamps } from '../support/random-values.ts'

describe('the text of a list', () => {
  const separators = fc.constantFrom(',', ';', '|', ' / ', ';;', ' and ')
  const items = fc.array(fc.oneof(text(), fc.constantFrom('a, b', ' x', '"', '""', 'a"b', '[1]', '… [cut]', ';', '\n')))

  test('is read as the same items, also with quotes, brackets and separators in them', () => {
    fc.assert(
      fc.property(items, separators, (list, separator) => {
        expect(readList(listText(list, separator), separator)).toEqual(list)
      }),
      { numRuns: cases(5_000) },
    )
  })

  test('is never JSON', () => {
    fc.assert(
      fc.property(items, list => {
        expect(listText(list).startsWith('[')).toBe(false)
      }),
      { numRuns: cases(1_000) },
    )
  })

  test.each([
    ['a,b ,  c,', ['a', 'b', 'c']],
    [' , ,', []],
    ['say "yes", 5" pipe', ['say "yes"', '5" pipe']],
    ['" a ", "", "b ""c"""', [' a ', '', 'b "c"']],
    ['a; b', ['a; b']],
  ])('people may write it as %j', (written, expected) => {
    expect(readList(written)).toEqual(expected)
  })

  test.each(['"a', 'a, "b', '"a" b, c', '"a"b"', '"a""'])('with a quote in the wrong place, %j is refused', written => {
    const problem = readList(written)
    expect(problem instanceof CellProblem && String(problem.text)).toBe(
      'A quote is in the wrong place. Write an item with a quote or "," like "a ""b"", c".',
    )
  })

  test('that was cut is refused', () => {
    const problem = readList('a, b, c… [cut]')
    expect(problem instanceof CellProblem && String(problem.text)).toBe(
      'This list was cut, because it is too long for a cell of a workbook. Use CSV.',
    )
  })

  test('takes time in proportion to its length', () => {
    const long = '"a", '.repeat(200_000)
    expect(readList(long)).toHaveLength(200_000)
    expect(readList(`"${'""'.repeat(500_000)}`)).toBeInstanceOf(CellProblem)
  })
})

function tablesOf(c: ColumnKit) {
  const shelves = c.table('shelves', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    code: c.integer().notNull().unique(),
    words: c.array(c.text({ trim: false, allowBlank: true })).notNull(),
    perhaps: c.array(c.text(20)),
    filled: c.array(c.text(20)).notNull().default(['new']),
    blank: c.array(c.text(20)).notNull().default([]),
    numbers: c.array(c.integer()),
    prices: c.array(c.decimal(8, 2)),
    flags: c.array(c.boolean()),
    days: c.array(c.date()),
    moments: c.array(c.timestamp()),
    kinds: c.array(c.enumeration(['a', 'b, c', '[d]'])),
    data: c.json(),
    parent: c.foreignKey('self'),
  })
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(20).notNull().unique() })
  const shelfTags = c.table('shelf_tags', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    shelf: c.foreignKey(shelves, { onDelete: 'cascade' }).notNull(),
    tag: c.foreignKey(tags, { onDelete: 'cascade' }).notNull(),
  })
  return { shelves, tags, shelfTags }
}

const fields = [
  'code',
  'words',
  'perhaps',
  'filled',
  'blank',
  'numbers',
  'prices',
  'flags',
  'days',
  'moments',
  'kinds',
  'data',
] as const

describeDialects('lists of simple values', dialect => {
  const tables = tablesOf(dialect.kit)
  const { shelves, tags, shelfTags } = tables

  describe('in a file', () => {
    const db = useDatabase(dialect, tables)
    const serializer = BaseModelSerializer(shelves, { fields })
    const files = new ExportService(serializer, {})
    const stored = () => db.database.transaction(() => currentDb().select().from(shelves).orderBy(asc(shelves.code)))
    const importsOf = (fileFormat: 'csv' | 'xlsx') => {
      const models = { shelves: importModel({ model: shelves, fields: [...fields], uniqueFields: ['code'] }) }
      return new ImportService({ fileFormat, order: ['shelves'], models }, { database: db.database })
    }
    const store = (...rows: object[]) =>
      db.database.transaction(() =>
        insertMany(shelves, rows.map((row, code) => ({ id: uuid(code), code, words: [], ...row })) as never),
      )
    const exported = (fileType: 'csv' | 'xlsx', includes?: string[]) =>
      buffer(files.export(QuerySet.of(db.database, shelves), { fileType, ...(includes && { includes }) }).stream)

    test('are texts with commas, and an item with a comma is in quotes', async () => {
      await store(
        {
          words: ['a', 'b, c', 'say "hi"'],
          perhaps: ['=1+1', 'x'],
          numbers: [-1, 2],
          prices: ['1.50', '2.00'],
          flags: [true, false],
          days: ['2026-01-15'],
          kinds: ['a', 'b, c', '[d]'],
          data: ['a', { b: [1, 2] }],
        },
        { perhaps: [], filled: [], blank: [] },
      )
      const expected = [
        ['a, "b, c", say "hi"', '=1+1, x', 'new', '', '-1, 2', '1.50, 2.00', 'true, false', '2026-01-15'],
        ['a, "b, c", "[d]"', '["a",{"b":[1,2]}]'],
      ].flat()
      const shown = fields.slice(1).filter(field => field !== 'moments')
      const [, first, second] = parse(await exported('csv', shown)) as string[][]
      // As every text of a CSV file that a spreadsheet would run.
      expect(first?.map(cell => cell.replace(/^'/, ''))).toEqual(expected)
      expect(first?.[1]).toBe("'=1+1, x")
      // Where an empty cell is null or a default, the empty list is JSON's.
      expect(second).toEqual(['', '[]', '[]', '', '', '', '', '', '', ''])
      const [sheet] = (await readXlsx(await exported('xlsx', shown))).sheets
      expect(sheet?.rows[1]?.map(cell => cell ?? '')).toEqual(expected)
    })

    const list = (items: fc.Arbitrary<unknown>) => fc.array(items, { maxLength: 5 })
    const sampled = (samples: typeof integers) => fc.option(list(samples.map(({ shown }) => shown)))
    const short = text(20)
      .map(value => value.trim())
      .filter(value => value !== '')
    const row = fc.record({
      words: list(fc.oneof(text(), fc.constantFrom(' a', 'a, b', '"', '[]', '[1]', '=1', "'=1", '… [cut]'))),
      perhaps: fc.option(list(short)),
      filled: list(short),
      blank: list(short),
      numbers: sampled(integers),
      prices: sampled(decimals(8, 2)),
      flags: sampled(booleans),
      days: sampled(dates),
      moments: sampled(timestamps),
      kinds: fc.option(list(fc.constantFrom('a', 'b, c', '[d]'))),
      data: fc.option(list(fc.oneof(short, fc.integer(), fc.boolean()))),
    })

    test.each(['csv', 'xlsx'] as const)('are imported from %s as they were exported', async fileType => {
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async rows => {
          await db.clear()
          await store(...rows)
          const before = await stored()
          const file = await exported(fileType)
          await db.clear()
          const result = await importsOf(fileType).import(file, { append: true })
          expect(result.errors).toEqual([])
          const withoutId = (found: typeof before) => found.map(({ id: _, ...values }) => values)
          expect(withoutId(await stored())).toEqual(withoutId(before))
        }),
        { numRuns: cases(12) },
      )
    })

    test('that a workbook cannot hold are cut with a warning, and the import refuses them', async () => {
      const warnings: string[] = []
      await store({ words: Array.from({ length: 10_000 }, (_, n) => `word ${n}`) })
      const { stream } = files.export(QuerySet.of(db.database, shelves), {
        fileType: 'xlsx',
        onWarning: ({ code }) => warnings.push(code),
      })
      const result = await importsOf('xlsx').import(await buffer(stream), { append: true })
      expect(warnings).toEqual(['text_cut'])
      expect(result).toMatchObject({ failed: 1, updated: 0 })
      expect(result.errors[0]?.message).toContain('This list was cut')
    })

    test('in an update, an empty cell is the default of the column', async () => {
      await store({ filled: ['x'], blank: ['y'], perhaps: ['z'], words: ['w'] })
      const file = csv(['code', ...fields.slice(1)], ['0', ...fields.slice(1).map(() => '')])
      expect(await importsOf('csv').import(file, { append: true })).toMatchObject({ updated: 1, failed: 0 })
      expect(await stored()).toMatchObject([{ filled: ['new'], blank: [], perhaps: null, words: [] }])
    })

    test('are read from JSON as well, and from one typed cell', async () => {
      const header = ['code', 'words', 'numbers', 'flags']
      const models = {
        shelves: importModel({
          model: shelves,
          fields: ['code', 'words', 'numbers', 'flags'],
          uniqueFields: ['code'],
        }),
      }
      const imports = new ImportService({ fileFormat: 'csv', order: ['shelves'], models }, { database: db.database })
      const file = csv(
        header,
        ['1', '["a","b, c"]', '[1, 2]', '[true]'],
        ['2', '', '5', 'yes'],
        ['3', 'x', '1, two', ''],
        ['4', '[x], [y]', '', ''],
        ['5', '"x', '', ''],
      )
      const { errors } = await imports.import(file, { append: true })
      expect(errors.map(({ row, field, message }) => `${row} ${field}: ${message}`)).toEqual([
        '4 numbers: "two" is not a whole number. Write it like 42.',
        '5 words: This is not a list. Write it like a, b or ["a", "b"].',
        '6 words: A quote is in the wrong place. Write an item with a quote or "," like "a ""b"", c".',
      ])
      expect(await stored()).toMatchObject([
        { words: ['a', 'b, c'], numbers: [1, 2], flags: [true] },
        { words: [], numbers: [5], flags: [true] },
      ])
    })
  })

  describe('of a resource', () => {
    const str = ManyStrOnlyField({ queryset: tags, str: 'label', through: shelfTags, ordering: 'label' })
    const Shelf = BaseModelSerializer(shelves, { fields: ['code', 'words'] })
    const serializer = BaseModelSerializer(shelves, {
      fields: ['code', 'words', 'parent'],
      extra: {
        parent: IdToDataField({ queryset: shelves, serializer: Shelf }),
        tags: str,
        others: ManyDataToIdField({
          queryset: tags,
          serializer: BaseModelSerializer(tags, { fields: ['label'] }),
          through: shelfTags,
          readOnly: true,
          ordering: 'id',
        }),
        parts: shelf => [shelf.code, 'x,y', true],
        none: () => [],
        above: CustomOutputField({
          column: 'parent',
          readOnly: true,
          queryset: shelves,
          output: ({ code }) => [code, 'b'],
        }),
      },
    })
    const importFileConfig = {
      fileFormat: 'csv',
      order: ['shelves'],
      models: {
        shelves: importModel({
          model: shelves,
          fields: ['code', 'words'],
          uniqueFields: ['code'],
          manyToMany: { tags: importManyToMany({ model: tags, lookupField: 'label', sourceField: 'tags' }) },
        }),
      },
    } as const
    const common = { model: shelves, serializer, permissionClasses: [AllowAny], ordering: 'code' } as const
    const api = useApi(dialect, {
      tables,
      resources: {
        shelves: compose(ListModelMixin, FileExportMixin, FileImportMixin)({ ...common, importFileConfig }),
        plain: compose(
          ListModelMixin,
          FileExportMixin,
        )({ ...common, exportFieldConfig: { tags: 'Tags', others: 'Others', parent__words: 'Words above' } }),
      },
    })
    const rows = async (path: string, body: object = {}) =>
      (parse((await api.post(`/${path}/export/`, { file_type: 'csv', ...body })).text) as string[][]).slice(1)
    const store = () =>
      api.database.transaction(async () => {
        await insertMany(shelves, [
          { id: uuid(1), code: 1, words: ['a', 'b'] },
          { id: uuid(2), code: 2, words: [], parent: uuid(1) },
        ])
        await insertMany(tags, [
          { id: 1, label: 'old; rare' },
          { id: 2, label: 'new, blue' },
        ])
        await insertMany(shelfTags, [
          { shelf: uuid(1), tag: 1 },
          { shelf: uuid(1), tag: 2 },
        ])
      })

    test('have commas, also along a path, of a relation shown as texts or ids, and of a function', async () => {
      await store()
      expect(await rows('plain')).toEqual([
        ['"new, blue", old; rare', '1, 2', ''],
        ['', '', 'a, b'],
      ])
      expect(await rows('plain', { includes: ['parts', 'none', 'above', 'parent'] })).toEqual([
        ['1, "x,y", true', '', '', ''],
        ['2, "x,y", true', '', '1, b', '{"code":1,"words":["a","b"]}'],
      ])
    })

    test('have the separator of the import, which reads them back', async () => {
      await store()
      const body = { includes: ['code', 'words', 'tags'] }
      const file = (await api.post('/shelves/export/', { file_type: 'csv', ...body })).text
      expect((parse(file) as string[][]).slice(1)).toEqual([
        ['1', 'a, b', 'new, blue; "old; rare"'],
        ['2', '', ''],
      ])
      const before = (await api.get('/shelves/')).data()
      await api.database.transaction(() => currentDb().delete(shelfTags))
      const answer = await api.request('POST', '/shelves/import-from-file/', importForm(file))
      expect(answer.data()).toMatchObject({ updated: 2, failed: 0 })
      expect((await api.get('/shelves/')).data()).toEqual(before)
    })

    test('of the client have the same form', async () => {
      const data = [{ words: ['x', 'y, z'], tags: ['a; b', 'c'], parts: [], others: [{ label: 'a' }] }]
      const includes = ['words', 'tags', 'parts', 'others']
      expect(await rows('shelves', { data, includes })).toEqual([['x, "y, z"', '"a; b"; c', '', '[{"label":"a"}]']])
    })
  })
})
