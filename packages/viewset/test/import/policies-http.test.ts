import {
  AllowAny,
  BaseModelSerializer,
  currentDb,
  ImportableViewSet,
  importManyToMany,
  importModel,
  ManyIdToDataField,
  type ModelRecord,
  type SerializerInput,
} from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { csv } from '../support/imports.ts'
import { library } from '../support/library.ts'
import { form } from '../support/multipart.ts'

describeOneDialect('links, deletions, unchanged rows and diffs over HTTP', dialect => {
  const tables = library(dialect.kit)
  const { people, tags, books, bookTags } = tables
  const heard: string[] = []
  const serializer = BaseModelSerializer(books, {
    fields: ['title', 'author'],
    extra: {
      tags: ManyIdToDataField({
        queryset: tags,
        serializer: BaseModelSerializer(tags, { fields: ['label'] }),
        through: bookTags,
        ordering: 'label',
      }),
    },
  })

  /** Each write is one of the resource's own. */
  class Books extends ImportableViewSet({
    model: books,
    serializer,
    permissionClasses: [AllowAny],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['books'],
      models: {
        books: importModel({
          model: books,
          fields: ['title', 'author'],
          uniqueFields: ['title'],
          skipUnchanged: true,
          manyToMany: { tags: importManyToMany({ model: tags, lookupField: 'label', sourceField: 'tags' }) },
          deleteWhen: { sourceField: 'gone', equals: ['x'] },
        }),
      },
    },
  }) {
    override async performCreate(values: SerializerInput<typeof serializer>) {
      heard.push(`create ${values.title} ${values.tags?.keys.length}`)
      return super.performCreate(values)
    }
    override async performUpdate(book: ModelRecord<typeof books>, values: Partial<SerializerInput<typeof serializer>>) {
      heard.push(`update ${book.title} ${values.tags?.keys.length}`)
      return super.performUpdate(book, values)
    }
    override async performDestroy(book: ModelRecord<typeof books>) {
      heard.push(`destroy ${book.title}`)
      await super.performDestroy(book)
    }
  }
  const api = useApi(dialect, { tables, resources: { books: Books } })
  const ann = uuid(1)

  const send = async (file: Buffer | string, fields: Readonly<Record<string, string>> = {}) => {
    const told = Object.entries({ append_data: 'true', ...fields }).map(([name, value]) => ({ name, value }))
    const parts = form({ name: 'file', filename: 'books.csv', content: file }, ...told)
    return (await api.post('/books/import-from-file/', undefined, parts)).envelope()
  }
  const header = ['title', 'author', 'tags', 'gone']

  beforeEach(async () => {
    await api.database.transaction(async () => {
      await currentDb().insert(people).values({ id: ann, name: 'Ann' })
      await currentDb()
        .insert(tags)
        .values(['new', 'sale'].map(label => ({ label })))
    })
    await send(csv(header, ['A', ann, 'new', ''], ['B', ann, '', ''], ['C', ann, 'sale; new', '']))
    heard.length = 0
  })

  test('rows are written as the resource writes, and those that change nothing are not', async () => {
    const { data, message } = await send(
      csv(
        header,
        ['A', ann, 'new', ''],
        ['B', ann, 'sale', ''],
        ['C', '', '', 'x'],
        ['D', ann, 'new', ''],
        ['E', ann, 'odd', ''],
        ['F', '', '', 'x'],
      ),
    )
    expect(heard).toEqual(['update B 1', 'destroy C', 'create D 1'])
    expect(message).toBe('1 of 6 rows failed; of the others, 2 stored, 1 deleted, 1 unchanged, 1 skipped.')
    expect(data).toEqual({
      success: false,
      processed: 6,
      failed: 1,
      errors: [
        { row: 6, field: 'tags', column: 'tags', message: 'There is no tag with the label "odd".', model: 'books' },
      ],
      created: 1,
      updated: 1,
      unchanged: 1,
      skipped: 1,
      ignored_columns: [],
      deleted: 1,
      error_groups: [expect.objectContaining({ code: 'does_not_exist', rows: '6', examples: ['odd'] })],
    })
  })

  test('a dry run tells its diff', async () => {
    const file = csv(header, ['A', ann, 'sale', ''], ['B', ann, '', ''], ['C', '', '', 'x'])
    const { data } = await send(file, { dry_run: 'true', diff: 'true' })
    expect(data).toMatchObject({
      dry_run: true,
      diff: {
        rows: [
          { row: 2, model: 'books', action: 'update', changes: { tags: [['new'], ['sale']] } },
          {
            row: 4,
            model: 'books',
            action: 'delete',
            changes: { title: ['C', null], author: [ann, null], tags: [['new', 'sale'], null] },
          },
        ],
        totals: { create: 0, update: 1, delete: 1, unchanged: 1 },
      },
    })
    const replaced = await send(csv(header, ['A', ann, '', '']), {
      append_data: 'false',
      dry_run: 'true',
      diff: 'true',
    })
    expect(replaced.data).toMatchObject({
      deleted: 3,
      diff: {
        replaced: { deleted: 3, records: expect.arrayContaining([{ title: 'A' }, { title: 'B' }, { title: 'C' }]) },
      },
    })
    expect(await api.rows('books')).toHaveLength(3)
  })

  test('what was exported is imported again and changes nothing', async () => {
    const exported = await api.post('/books/export/', { file_type: 'csv' })
    expect(exported.text).toContain('Tags')
    const { data } = await send(exported.text)
    expect(data).toMatchObject({ processed: 3, unchanged: 3, updated: 0, failed: 0 })
    expect(heard).toEqual([])
  })

  test('the template has the columns, says what belongs there and imports as it is', async () => {
    const template = await api.get('/books/import-template/?file_type=csv')
    const [first, example] = template.text.split('\r\n')
    expect(first).toBe('title,author,tags,gone')
    expect(example).toMatch(/^[^,]+,[^,]+,(new|sale),$/)
    expect((await send(template.text)).data).toMatchObject({ created: 1, failed: 0 })
  })
})
