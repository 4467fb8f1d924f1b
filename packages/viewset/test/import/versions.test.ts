import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { importForm } from '../support/multipart.ts'

interface Result {
  readonly created: number
  readonly updated: number
  readonly failed: number
  readonly unchanged?: number
  readonly deleted?: number
  readonly errors: readonly { readonly row: number; readonly field: string; readonly message: string }[]
}

const STALE = 'This record has changed since this version was exported. Export it again, then repeat your change.'
const MISSING = 'The record of this version is no longer stored. Clear the cell to store it as a new record.'

describeDialects('an import of exported versions', dialect => {
  const c = dialect.kit
  const books = c.table('books', {
    id: c.integer().primaryKey(),
    code: c.text(20).notNull().unique(),
    title: c.text(20),
    ...c.TimeStampMixin(),
    ...c.VersionMixin(),
  })
  const serializer = BaseModelSerializer(books, { fields: ['id', 'code', 'title', 'version', 'updatedAt'] })
  const resource = (version: 'version' | 'updatedAt', more: object = {}) =>
    BulkImportableViewSet({
      model: books,
      serializer,
      permissionClasses: [AllowAny],
      version,
      ordering: 'code',
      exportFieldConfig: { code: 'Code', title: 'Title', version: 'Version', updatedAt: 'Changed' },
      importFileConfig: {
        fileFormat: ['csv', 'xlsx'],
        order: ['books'],
        models: {
          books: importModel({
            model: books,
            fields: ['code', 'title'],
            uniqueFields: ['code'],
            version,
            deleteWhen: { sourceField: 'deleted', equals: ['yes'] },
            ...more,
          }),
        },
      },
    })
  const api = useApi(dialect, {
    tables: { books },
    resources: {
      counted: resource('version'),
      timed: resource('updatedAt'),
      careful: resource('version', { skipUnchanged: true }),
    },
  })
  let ids: number[]
  beforeEach(async () => {
    const items = ['a', 'b', 'c'].map(code => ({ code, title: 'old' }))
    ids = (await api.post('/counted/bulk-create/', items)).data<{ id: number }[]>().map(({ id }) => id)
  })
  const exported = async (name: string, file_type: string) => {
    const includes = ['code', 'title', name === 'timed' ? 'updated_at' : 'version']
    return (await api.post(`/${name}/export/`, { file_type, includes })).bytes
  }
  const send = (name: string, file: string | Buffer, options: object = {}) =>
    api.request('POST', `/${name}/import-from-file/`, importForm(file, { append: true, ...options }))
  const resultOf = (answer: TestResponse) => answer.data<Result>()
  const titles = async () => (await api.rows('books')).map(row => row[2])
  const versions = async () =>
    (await api.get('/counted/?ordering=code')).data<{ version: number }[]>().map(({ version }) => version)

  describe.each(['counted', 'timed'])('/%s/', name => {
    test.each(['csv', 'xlsx'])('an unchanged record is updated from %s', async format => {
      const result = resultOf(await send(name, await exported(name, format)))
      expect(result).toMatchObject({ created: 0, updated: 3, failed: 0 })
    })

    test.each(['csv', 'xlsx'])('a record that has changed since the export is kept, from %s', async format => {
      const file = await exported(name, format)
      await api.patch(`/counted/${ids[1]}/`, { title: 'newer' })
      const answer = await send(name, file)
      expect([answer.status, resultOf(answer)]).toMatchObject([
        207,
        {
          updated: 2,
          failed: 1,
          errors: [{ row: 3, field: name === 'timed' ? 'updated_at' : 'version', message: STALE }],
        },
      ])
      expect(await titles()).toEqual(expect.arrayContaining(['newer']))
    })

    test.each(['csv', 'xlsx'])(
      'a record that was deleted since the export is not created again, from %s',
      async format => {
        const file = await exported(name, format)
        await api.delete(`/counted/${ids[1]}/`)
        expect(resultOf(await send(name, file))).toMatchObject({ failed: 1, errors: [{ row: 3, message: MISSING }] })
        expect(await api.rows('books')).toHaveLength(2)
      },
    )
  })

  test('a file without the column, or with an empty cell, changes the record as before', async () => {
    expect(resultOf(await send('counted', 'code,title\na,new\n'))).toMatchObject({ updated: 1, failed: 0 })
    expect(resultOf(await send('counted', 'code,title,version\na,newer,\nd,new,\n'))).toMatchObject({
      created: 1,
      updated: 1,
      failed: 0,
    })
  })

  test('a dry run reports the same and stores nothing', async () => {
    const [version = 0] = await versions()
    const file = `code,title,version\na,new,${version}\nb,new,5\n`
    const dry = resultOf(await send('counted', file, { dryRun: true }))
    expect(dry).toMatchObject({ updated: 1, failed: 1, errors: [{ row: 3, message: STALE }] })
    expect(await titles()).toEqual(['old', 'old', 'old'])
    expect(resultOf(await send('counted', file))).toMatchObject({ updated: 1, failed: 1 })
  })

  test('a row that deletes a changed record fails', async () => {
    const [version = 0] = await versions()
    await api.patch(`/counted/${ids[1]}/`, { title: 'newer' })
    const file = `code,version,deleted,title\na,${version},yes,\nb,${version},yes,\n`
    expect(resultOf(await send('counted', file))).toMatchObject({
      deleted: 1,
      failed: 1,
      errors: [{ row: 3, message: STALE }],
    })
  })

  test('a row that would write nothing new is unchanged, also with an old version', async () => {
    const file = await exported('careful', 'csv')
    await api.patch(`/counted/${ids[0]}/`, { title: 'old' })
    expect(resultOf(await send('careful', file))).toMatchObject({ unchanged: 3, failed: 0 })
  })

  test.each(['x', '1.5'])('a cell that is no version is an error of its row: %s', async cell => {
    expect(resultOf(await send('counted', `code,title,version\na,new,${cell}\n`))).toMatchObject({ failed: 1 })
    expect(await titles()).toEqual(['old', 'old', 'old'])
  })

  test('the template has no column for versions', async () => {
    const template = await api.get('/counted/import-template/?file_type=csv')
    expect(template.text.split('\r\n')[0]).toBe('Code,Title,deleted')
  })

  test.each([
    [{ version: 'title' }, '"title" is no version of "books"'],
    [{ version: 'versoin' }, 'did you mean "version"'],
    [{ fields: ['code', 'title', 'version'] }, '"version" is the version, which is compared and never imported'],
    [{ createOnly: true, uniqueFields: [], deleteWhen: undefined }, 'version'],
  ])('%j is refused at start', (wrong, problem) => {
    expect(() => resource('version', wrong)).toThrow(problem)
  })
})
