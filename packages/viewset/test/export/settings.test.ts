import { AllowAny, BaseModelSerializer, BaseViewSet, BulkOnlyViewSet, ExportService } from 'viewset'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { choose } from '../../src/exporting/choose.ts'
import { exportColumns } from '../../src/exporting/export-columns.ts'
import { writersOf } from '../../src/exporting/formats.ts'
import { type Models, models } from '../support/models.ts'
import { problemOf } from '../support/problem.ts'

const tables: Models = models(kit)
const { articles, users } = tables
const serializer = BaseModelSerializer(articles, {
  fields: ['title', 'body', 'author'],
  writeOnly: ['body'],
  extra: { label: article => article.title },
})
const common = { model: articles, serializer, permissionClasses: [AllowAny] }

test.each<[settings: object, problem: string]>([
  [{ exportFieldConfig: { titel: 'T' } }, 'exportFieldConfig: unknown field "titel"; did you mean "title"?'],
  [{ exportFieldConfig: { lable: 'L' } }, 'exportFieldConfig: unknown field "lable"; did you mean "label"?'],
  [
    { exportFieldConfig: { author__nmae: 'A' } },
    'exportFieldConfig: unknown field "nmae" of "authors" in "author__nmae"; did you mean "name"?',
  ],
  [
    { exportFieldConfig: { title__name: 'A' } },
    'exportFieldConfig: "title" is no foreign key, so "title__name" leads nowhere',
  ],
  [{ exportFieldConfig: { body: 'B' } }, 'exportFieldConfig: "body" is write-only: no client may read it'],
  [{ exportFieldConfig: { title: 7 } }, 'exportFieldConfig: the header of "title" must be a text'],
  [{ exportFieldConfig: {} }, "exportFieldConfig: names no field; leave it out to export the serializer's fields"],
  [{ exportFieldConfig: null }, 'exportFieldConfig: must give headers by field, as in { title: "Title" }'],
  [{ exportFormats: ['xslx'] }, 'exportFormats: unknown format "xslx"; did you mean "xlsx"?'],
  [{ exportFormats: [] }, 'exportFormats: must name some of csv, xlsx, pdf'],
  [{ exportFormats: 'csv' }, 'exportFormats: must name some of csv, xlsx, pdf'],
  [
    { exportPermissionClasses: AllowAny },
    'exportPermissionClasses: must be a list of permissions: objects or classes with hasPermission, or functions of the view; put the permission in brackets, as in [IsAuthenticated]',
  ],
])('a resource refuses %j', (settings, problem) => {
  expect(problemOf(() => BaseViewSet({ ...common, ...settings } as never))).toBe(`resource of "articles": ${problem}`)
})

test('without HTTP it is refused as well, naming the export', () => {
  const settings = { exportFieldConfig: { titel: 'T' } } as never
  expect(problemOf(() => new ExportService(serializer, settings))).toBe(
    'export of "articles": exportFieldConfig: unknown field "titel"; did you mean "title"?',
  )
})

test.each([
  'exportFieldConfig',
  'exportPermissionClasses',
  'csvBom',
  'csvDelimiter',
  'csvLocale',
  'exportFormats',
  'allowExportData',
  'pdfOptions',
])('the setting %s needs FileExportMixin', setting => {
  expect(problemOf(() => BulkOnlyViewSet({ ...common, [setting]: undefined } as never))).toBe(
    `resource of "articles": ${setting}: needs FileExportMixin, which this viewset does not include`,
  )
})

test('a field that no serializer shows may be named in the configuration, and only there', () => {
  const service = new ExportService(BaseModelSerializer(users, { fields: ['username'] }), {
    exportFieldConfig: { id: 'Number' },
  })
  expect(service.export([], { fileType: 'csv', includes: ['id', 'username'] }).filename).toMatch(/^users_.+\.csv$/)
  expect(() => service.export([], { fileType: 'csv', includes: ['password'] })).toThrow(
    expect.objectContaining({ errors: { includes: ['Unknown field "password". Known fields: username, id.'] } }),
  )
})

test('a format whose packages are missing is not offered, and asking for it says what is missing', () => {
  const writers = new Map(writersOf('test', {}))
  const pdf = writers.get('pdf')!
  writers.set('pdf', { ...pdf, missingPackages: () => ['pdfkit', 'dejavu-fonts-ttf'] })
  const columns = exportColumns('test', serializer, undefined)
  const problemWith = (fileType: string) => {
    try {
      choose(writers, columns, { fileType: fileType as never })
    } catch (error) {
      return (error as { errors: unknown }).errors
    }
  }
  expect(problemWith('pdf')).toEqual({
    file_type: [
      '"pdf" needs packages that this server does not have: pdfkit, dejavu-fonts-ttf. Choose one of: csv, xlsx.',
    ],
  })
  expect(problemWith('doc')).toEqual({ file_type: ['"doc" is not a valid choice. Choose one of: csv, xlsx.'] })
})
