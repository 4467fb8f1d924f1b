import { pgTable, text } from 'drizzle-orm/pg-core'
import {
  allRecords,
  BaseModelSerializer,
  ConfigError,
  CustomOutputField,
  DataToDataField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
  ReadOnlyIdField,
  StrOnlyField,
  scoped,
} from 'viewset'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { library } from '../support/library.ts'

const { people, books, chapters, tags, bookTags, friendships } = library(kit)
const Person = BaseModelSerializer(people, { fields: ['id', 'name'] })
const Book = BaseModelSerializer(books, { fields: ['id', 'title'] })
const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
const elsewhere = pgTable('people', { id: text().primaryKey() })

/** What a serializer of `model` says of a field; what TypeScript refuses already is passed as `never`. */
function problemOf(model: object, extra: object, config: object = {}): string {
  try {
    BaseModelSerializer(model as never, { fields: ['id'], extra, ...config } as never)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error('nothing was refused')
}
const book = (extra: object, config?: object) => problemOf(books, extra, config)
const field = (declare: (options: never) => unknown, options: object) => book({ author: declare(options as never) })

test.each<[what: string, problem: string, expected: string]>([
  [
    'an unknown option',
    field(IdOnlyField, { queryset: people, readonly: true }),
    'author: IdOnlyField has no option "readonly"; did you mean "readOnly"?',
  ],
  [
    'readOnly where nothing else is possible',
    field(ReadOnlyIdField, { queryset: people, readOnly: true }),
    'author: ReadOnlyIdField has no option "readOnly"; known: "queryset", "column", "scopeReads"',
  ],
  [
    'no options',
    field(IdOnlyField as () => unknown, undefined as never),
    'author: queryset must be a model, or scoped(model, where)',
  ],
  [
    'a column that is no foreign key and cannot hold one',
    book({ writer: IdOnlyField({ queryset: people, column: 'title' as never, readOnly: true }) }),
    'writer: "title" is of type text, the key of "people" of type uuid',
  ],
  ['no queryset', field(IdOnlyField, {}), 'author: queryset must be a model, or scoped(model, where)'],
  [
    'a scope without a condition',
    field(IdOnlyField, { queryset: { model: people } }),
    'author: queryset must be a model, or scoped(model, where)',
  ],
  [
    'a model of another database',
    field(IdOnlyField, { queryset: elsewhere }),
    'author: "people" and "books" are tables for different databases',
  ],
  [
    'a model that the column does not refer to',
    field(IdOnlyField, { queryset: tags }),
    'author: the column refers to "people", the queryset is of "tags"',
  ],
  [
    'no serializer, or one that is not made yet',
    field(IdToDataField, { queryset: people, serializer: undefined }),
    'author: serializer is required; make it with BaseModelSerializer(model, ...) before this one. Serializers cannot ' +
      'nest each other in a circle: give the inner one a serializer with fewer fields',
  ],
  [
    'the serializer of another model',
    field(FlexibleField, { queryset: scoped(people, () => allRecords), serializer: Book }),
    'author: the serializer shows "books", the queryset is of "people"',
  ],
  [
    'no str',
    field(IdToStrField, { queryset: people }),
    'author: str is required; name the field that stands for a record',
  ],
  [
    'an unknown str',
    field(StrOnlyField, { queryset: people, str: 'nmae' }),
    'author: str: unknown field "nmae" of "people"; did you mean "name"?',
  ],
  ['no output', field(CustomOutputField, { queryset: people }), 'author: output must be a function of a record'],
  [
    'scopeReads without a scope',
    field(IdOnlyField, { queryset: people, scopeReads: true }),
    'author: scopeReads needs a scope; make the queryset with scoped(model, where)',
  ],
  [
    'objects for a serializer that takes nothing',
    field(DataToDataField, { queryset: people, serializer: BaseModelSerializer(people, { fields: ['id'] }) }),
    'author: DataToDataField takes objects, but all fields of its serializer are read-only',
  ],
  [
    'an unknown column',
    book({ writer: IdOnlyField({ queryset: people, column: 'autor' }) }),
    'extra: unknown field "autor"; did you mean "author"?',
  ],
  [
    'two fields that write one column',
    book({
      author: IdOnlyField({ queryset: people }),
      writer: IdOnlyField({ queryset: people, column: 'author' }),
    }),
    'extra: "author" and "writer" both write "author"; make one of them read-only',
  ],
  [
    'a refinement of an object',
    book({ author: DataToDataField({ queryset: people, serializer: Person }) }, { refine: { author: z.string() } }),
    'refine: "author" takes no identifier that could be refined',
  ],
  [
    'what is no field',
    book({ author: 'people' }),
    'extra: "author" is no relation field, ExpressionField, InputField, ColumnField or function of a record',
  ],
])('refuses %s', (_, problem, expected) => {
  expect(problem).toBe(`BaseModelSerializer(books): ${expected}`)
})

const many = (options: object, model: object = books, name = 'list') =>
  problemOf(model, { [name]: ManyIdToDataField(options as never) })
const toTags = { queryset: tags, serializer: Tag }
const toPeople = { queryset: people, serializer: Person }

test.each<[what: string, problem: string, expected: string]>([
  [
    'an unknown option',
    many({ ...toTags, trough: bookTags }),
    'ManyIdToDataField has no option "trough"; did you mean "through"?',
  ],
  [
    'no way to the related model',
    many(toTags),
    '"tags" has no foreign key to "books"; name the table between the two by through',
  ],
  [
    'several ways to it',
    many({ queryset: books, serializer: Book }, people),
    '"books" has several foreign keys to "people" ("author", "editor"); name the one by column',
  ],
  [
    'an unknown foreign key',
    many({ queryset: books, serializer: Book, column: 'autor' }, people),
    'column: unknown field "autor" of "books"; did you mean "author"?',
  ],
  [
    'a column that does not refer to the model',
    many({ queryset: books, serializer: Book, column: 'title' }, people),
    'column: "title" of "books" does not refer to "people"; known: "author", "editor"',
  ],
  ['a join table that is none', many({ ...toTags, through: 'book_tags' }), 'through must be a table'],
  [
    'a join table of other models',
    many({ ...toTags, through: friendships }),
    '"friendships" has no foreign key to "books"',
  ],
  [
    'a join table that leads elsewhere',
    many({ ...toPeople, through: bookTags }),
    '"book_tags" has no foreign key to "people"',
  ],
  [
    'the related model as the join table',
    many({ ...toTags, through: tags }),
    'through must be a table of its own that refers to "books" and "tags"',
  ],
  [
    'a join table with several foreign keys',
    many({ ...toPeople, through: friendships }, people),
    '"friendships" has several foreign keys to "people" ("from", "to"); name the one by throughFields',
  ],
  [
    'one foreign key for both sides',
    many({ ...toPeople, through: friendships, throughFields: ['to', 'to'] }, people),
    'throughFields: name the two foreign keys of "friendships", to the record and to the related one',
  ],
  [
    'both a column and a join table',
    many({ ...toTags, through: bookTags, column: 'label' }),
    'column is for a relation without through; name the keys by throughFields',
  ],
  [
    'a limit of a list that is written',
    many({ ...toTags, through: bookTags, limit: 3 }),
    'limit needs readOnly: a client that sends back what it sees would drop all others',
  ],
  [
    'a limit that is none',
    many({ ...toTags, through: bookTags, readOnly: true, limit: 0.5 }),
    'limit must be a whole number above 0',
  ],
  [
    'a join table of another database',
    many({ ...toTags, through: pgTable('book_tags', { book: text().notNull(), tag: text().notNull() }) }),
    '"book_tags" and "books" are tables for different databases',
  ],
  [
    'throughFields without a join table',
    many({
      queryset: chapters,
      serializer: BaseModelSerializer(chapters, { fields: ['id'] }),
      throughFields: ['book', 'id'],
    }),
    'throughFields needs through; without a join table, name the foreign key by column',
  ],
  [
    'an unknown order',
    many({ ...toTags, through: bookTags, ordering: ['-lable'] }),
    'ordering: unknown field "lable" of "tags"; did you mean "label"?',
  ],
  [
    'the serializer of another model',
    many({ ...toTags, serializer: Person, through: bookTags }),
    'the serializer shows "people", the queryset is of "tags"',
  ],
  [
    'no serializer',
    many({ queryset: tags, through: bookTags }),
    'serializer is required; make it with BaseModelSerializer(model, ...) before this one. Serializers cannot ' +
      'nest each other in a circle: give the inner one a serializer with fewer fields',
  ],
  [
    'scopeReads without a scope',
    many({ ...toTags, through: bookTags, scopeReads: true }),
    'scopeReads needs a scope; make the queryset with scoped(model, where)',
  ],
])('a relation to many refuses %s', (_, problem, expected) => {
  expect(problem).toMatch(/^BaseModelSerializer\(\w+\): list: /)
  expect(problem.replace(/^.*?: list: /, '')).toBe(expected)
})

test('a relation to many refuses the name of a column', () => {
  expect(many({ ...toTags, through: bookTags }, books, 'title')).toBe(
    'BaseModelSerializer(books): title: "books" has a column of this name; name the relation otherwise',
  )
})
