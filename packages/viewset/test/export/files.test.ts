import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { parse } from 'csv-parse/sync'
import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  currentUser,
  ExportService,
  insertMany,
  QuerySet,
  ReadOnlyViewSet,
  runAs,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import { restoreFormula } from '../../src/tabular/csv/formula.ts'
import { TabularError } from '../../src/tabular/errors.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { models, users } from '../support/models.ts'
import { pdfText } from '../support/pdf-text.ts'

const HOSTILE = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1', "'=1", "''=1", "'"]

describeOneDialect('a file of an export', dialect => {
  const tables = models(dialect.kit)
  const { authors, categories } = tables
  const serializer = BaseModelSerializer(categories, { fields: ['code', 'label'] })
  const api = useApi(dialect, {
    tables,
    users,
    resources: {
      categories: ReadOnlyViewSet({
        model: categories,
        serializer,
        permissionClasses: [AllowAny],
        ordering: 'code',
        pdfOptions: { systemFonts: false },
      }),
    },
  })
  const exported = async (file_type: string, body: object = {}) => {
    const response = await api.post('/categories/export/', { file_type, ...body })
    expect(response.status, response.text.slice(0, 500)).toBe(200)
    return response
  }
  const store = (labels: readonly string[]) =>
    api.database.transaction(() =>
      insertMany(
        categories,
        labels.map((label, i) => ({ code: `c${String(i).padStart(4, '0')}`, label })),
      ),
    )
  const includes = ['label']

  describe('text that a spreadsheet would run', () => {
    test('is neutralised in CSV, and taking one quote away gives it back', async () => {
      await store(HOSTILE)
      const labels = (parse((await exported('csv', { includes })).text) as string[][]).slice(1).flat()
      expect(labels).toEqual(HOSTILE.map(text => (text === "'" ? text : `'${text}`)))
      expect(labels.map(restoreFormula)).toEqual(HOSTILE)
    })

    test('is text in XLSX, as it is', async () => {
      await store(HOSTILE)
      const { bytes } = await exported('xlsx', { includes })
      const [sheet] = (await readXlsx(bytes, { readStyles: true })).sheets
      expect(sheet?.rows.slice(1).flat()).toEqual(HOSTILE)
      expect([...(sheet?.cells?.values() ?? [])].filter(cell => cell.formula !== undefined)).toEqual([])
    })

    test('comes back whatever it is', async () => {
      const label = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(text => !text.includes('\0'))
      await fc.assert(
        fc.asyncProperty(fc.array(label, { minLength: 1, maxLength: 20 }), async labels => {
          await api.clear()
          await store(labels)
          const { text } = await exported('csv', { includes })
          const read = (parse(text) as string[][]).slice(1).flat()
          expect(read.map(restoreFormula)).toEqual(labels)
        }),
        { numRuns: cases(25) },
      )
    })
  })

  test('of XLSX has the title as its sheet, widths and a bold frozen header', async () => {
    await store(['a'])
    const column_config = { code: { width: 33 }, label: { header: 'Name' } }
    const { bytes } = await exported('xlsx', { title: 'All/Categories', column_config })
    const [sheet] = (await readXlsx(bytes, { readStyles: true })).sheets
    expect(sheet).toMatchObject({ name: 'All Categories', freezePane: { rows: 1 } })
    expect(sheet?.rows).toEqual([
      ['Code', 'Name'],
      ['c0000', 'a'],
    ])
    expect(sheet?.columns?.[0]?.width).toBe(33)
    expect(sheet?.cells?.get('0,0')?.style?.font?.bold).toBe(true)
  })

  test('of PDF has the title, its header on every page and text in several scripts', async () => {
    await store([...Array.from({ length: 80 }, (_, i) => `Label ${i}`), 'Łódź', 'Ελλάδα', 'Україна'])
    const { bytes, headers } = await exported('pdf', { title: 'Categories of 2026' })
    const text = await pdfText(bytes)
    expect(text).toContain('Categories of 2026')
    expect(text.match(/Code\s+Label/g)?.length).toBeGreaterThan(1)
    expect(text).toMatch(/Page 1 of \d/)
    for (const label of ['Łódź', 'Ελλάδα', 'Україна', 'c0082']) expect(text).toContain(label)
    expect(headers).not.toHaveProperty('x-export-warnings')
  })

  test('of PDF whose fonts lack characters says so in a header', async () => {
    await store(['東京'])
    const { headers, bytes } = await exported('pdf')
    expect(headers['x-export-warnings']).toBe('No font has these 2 characters: U+6771 U+4EAC')
    expect(await pdfText(bytes)).toContain('\uFFFD\uFFFD')
  })

  test('shows addresses and markup as text, and fetches nothing', async () => {
    const labels = ['http://127.0.0.1:9/x.png', '<img src="//a/b">', '=HYPERLINK("http://a")']
    await store(labels)
    const text = await pdfText((await exported('pdf')).bytes)
    for (const label of labels) expect(text).toContain(label)
    const xlsx = Buffer.from((await exported('xlsx')).bytes).toString('latin1')
    // The names of a workbook's parts stand in it unpacked: none is a link or an image.
    expect(xlsx).not.toMatch(/externalLink|hyperlink|drawing|media/i)
  })

  describe('made without HTTP', () => {
    const service = new ExportService(BaseModelSerializer(authors, { fields: ['name'] }), {
      exportFieldConfig: { name: 'Name', email: 'E-mail' },
    })
    const textOf = async (file: { stream: Readable }) => (await buffer(file.stream)).toString()
    const fill = (count: number) =>
      api.database.transaction(() =>
        insertMany(
          authors,
          Array.from({ length: count }, (_, i) => ({ name: `a${String(i).padStart(5, '0')}`, email: `${i}@x` })),
        ),
      )

    test('is one of a queryset, and tells how far it is', async () => {
      await fill(2500)
      const progress: number[] = []
      const queryset = QuerySet.of(api.database, authors).filter(eq(authors.isActive, true))
      const file = service.export(queryset, {
        fileType: 'csv',
        filename: 'all',
        onProgress: rows => progress.push(rows),
      })
      expect(file).toMatchObject({ filename: 'all.csv', contentType: 'text/csv; charset=utf-8' })
      expect(parse(await textOf(file))).toHaveLength(2501)
      expect(progress).toEqual([1000, 2000, 2500])
    })

    test('is one of rows, however they come', async () => {
      async function* later() {
        yield { name: 'Ada', email: 'ada@x' }
        yield { name: 'Bob' }
      }
      const expected = 'Name,E-mail\r\nAda,ada@x\r\nBob,\r\n'
      expect(await textOf(service.export(later(), { fileType: 'csv' }))).toBe(expected)
      const list = [{ name: 'Ada', email: 'ada@x' }, { name: 'Bob' }]
      expect(await textOf(service.export(list, { fileType: 'csv' }))).toBe(expected)
    })

    test('takes names of code and of the wire', async () => {
      const timed = new ExportService(BaseModelSerializer(authors, { fields: ['name', 'createdBy'] }))
      for (const name of ['createdBy', 'created_by']) {
        const file = timed.export([{ created_by: 'ann' }], {
          fileType: 'csv',
          includes: [name],
          columnConfig: { [name]: { header: 'Who' } },
        })
        expect(await textOf(file)).toBe('Who\r\nann\r\n')
      }
    })

    test('is made for the user for whom it was begun', async () => {
      await fill(1)
      const asking = new ExportService(
        BaseModelSerializer(authors, { fields: ['name'], extra: { asker: () => currentUser()?.id } }),
      )
      const begin = () => asking.export(QuerySet.of(api.database, authors), { fileType: 'csv', includes: ['asker'] })
      expect(await textOf(runAs({ id: 'robot' }, begin))).toBe('Asker\r\nrobot\r\n')
    })

    test('is bounded where that is asked, before anything is written', async () => {
      await fill(3)
      const file = service.export(QuerySet.of(api.database, authors), { fileType: 'csv', maxRows: 2 })
      const error = await textOf(file).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(TabularError)
      expect(error).toMatchObject({
        code: 'too_many_rows',
        message: 'A csv file takes 2 rows at most; these are 3. Filter them.',
      })
    })

    test('ends when it is aborted', async () => {
      await fill(3000)
      const controller = new AbortController()
      const file = service.export(QuerySet.of(api.database, authors), {
        fileType: 'csv',
        signal: controller.signal,
        onProgress: () => controller.abort(),
      })
      await expect(textOf(file)).rejects.toThrow(/aborted/i)
    })
  })
})
