import { randomUUID } from 'node:crypto'
import { BaseModelSerializer, DataToDataField, FlexibleField, ManyIdToDataField } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { mapErrors } from '../../src/core/errors.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { type RecordWriters, writeParts } from '../../src/records/nested-lists.ts'
import { resolveManyNested } from '../../src/records/resolve-nested.ts'
import { validateItems } from '../../src/serializer/validate.ts'
import { executeWrite } from '../../src/store/write/execute-write.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { library, stock } from '../support/library.ts'

const unused = () => expect.unreachable()
/** These records have no children, and no one listens to their signals. */
const UNUSED: RecordWriters = { create: unused, insertMany: unused, updateMany: unused }

describeDialects('drafts of many records', dialect => {
  const tables = library(dialect.kit)
  const { people, books, chapters, notes, tags, bookTags } = tables
  const Mentor = BaseModelSerializer(people, { fields: ['name'] })
  const Person = BaseModelSerializer(people, {
    fields: ['name', 'email'],
    extra: { mentor: FlexibleField({ queryset: people, serializer: Mentor }) },
  })
  const Book = BaseModelSerializer(books, {
    fields: ['title'],
    extra: {
      author: DataToDataField({ queryset: people, serializer: Person }),
      editor: FlexibleField({ queryset: people, serializer: Person }),
      tags: ManyIdToDataField({
        queryset: tags,
        serializer: BaseModelSerializer(tags, { fields: ['label'] }),
        through: bookTags,
      }),
      notes: ManyIdToDataField({ queryset: notes, serializer: BaseModelSerializer(notes, { fields: ['text'] }) }),
    },
  })
  const Chapter = BaseModelSerializer(chapters, {
    fields: ['title'],
    extra: { book: DataToDataField({ queryset: books, serializer: Book }) },
  })
  const api = useApi(dialect, { tables, resources: {} })
  beforeEach(() =>
    stock(api.database, tables, {
      people: [{ id: uuid(1), name: 'Ada' }],
      tags: [{ id: uuid(31), label: 'a' }],
      notes: [{ id: uuid(41), text: 'x' }],
    }),
  )

  /** What a bulk create does. */
  async function create(inputs: readonly unknown[]) {
    const { database } = api
    const results = await validateItems(
      Chapter,
      database,
      inputs.map(input => ({ input })),
      { context: { timeZone: 'UTC' } },
    )
    const errors = results.map(result => result.errors)
    if (errors.some(error => Object.keys(error).length > 0)) return errors
    await database.transaction(async () => {
      const resolved = await resolveManyNested(
        database,
        results.map(result => result.values),
        UNUSED,
      )
      const owned = resolved.map(({ values, parts }) => ({
        owner: { id: randomUUID(), ...values },
        parts,
        isNew: true,
        path: '',
      }))
      const rows = owned.map(({ owner }) => owner)
      await executeWrite(database, { kind: 'insert', model: modelInfo(chapters), rows })
      await writeParts(database, owned, UNUSED)
    })
    return []
  }
  const input = (n: number) => ({
    title: `chapter ${n}`,
    book: {
      title: `book ${n}`,
      author: { name: `author ${n}`, email: `${n}@example.org`, mentor: { name: `mentor ${n}` } },
      editor: n % 2 ? uuid(1) : { name: `editor ${n}` },
      tags: [uuid(31)],
    },
  })

  test('are validated and stored by as many statements as one', async () => {
    const statements = async (...numbers: number[]) =>
      (await api.statementsOf(() => create(numbers.map(input)))).map(text => text.slice(0, 70))
    const one = await statements(1, 2)
    const many = await statements(...Array.from({ length: 100 }, (_, i) => i + 3))
    expect(many).toEqual(one)
    // Mentors, then authors and editors together, then books, their tags, and the chapters.
    expect(many.filter(text => text.startsWith('insert')).map(text => /"(\w+)"/.exec(text)?.[1])).toEqual([
      'people',
      'people',
      'books',
      'book_tags',
      'chapters',
    ])
    expect(await api.rows('book_tags')).toHaveLength(102)
    const people = await api.rows('people')
    const person = people.find(row => row[1] === 'author 57')
    expect(people.find(row => row[0] === person?.[4])?.[1]).toBe('mentor 57')
  })

  test('errors are told for each of them', async () => {
    const twin = { ...input(1), book: { ...input(1).book, title: 'other', editor: null } }
    const wrong = { ...input(3), book: { ...input(3).book, tags: [uuid(99)], author: { name: 5 } } }
    expect((await create([input(1), twin, wrong])).map(errors => mapErrors(errors, String))).toEqual([
      {},
      { 'book.author.email': ['Another item of this request has the same value.'] },
      {
        'book.tags': [`There is no tag with the id "${uuid(99)}".`],
        'book.author.name': ['5 is not a text. Send a text in quotes.'],
      },
    ])
    const claims = [1, 2].map(n => ({ ...input(n), book: { ...input(n).book, notes: [uuid(41)] } }))
    expect((await create(claims)).map(errors => mapErrors(errors, String))).toEqual([
      {},
      { 'book.notes': [`Another item has "${uuid(41)}" as well.`] },
    ])
    expect(await api.rows('chapters')).toEqual([])
  })
})
