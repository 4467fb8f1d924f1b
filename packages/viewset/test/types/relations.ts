// What the compiler must know of relation fields, and what it must refuse.
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  CustomOutputField,
  DataToDataField,
  DataToIdField,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
  type NestedDraft,
  ReadOnlyDataField,
  ReadOnlyIdField,
  ReadOnlyStrField,
  type RelatedSet,
  type SerializerData,
  type SerializerInput,
  type SerializerOutput,
  StrOnlyField,
  StrToDataField,
  scoped,
} from 'viewset'
import { library } from '../support/library.ts'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { people, books, chapters, notes, tags, bookTags, friendships } = library(kit)
const { shelves, loans, categories } = models(kit)

const PersonReference = BaseModelSerializer(people, { fields: ['id', 'name'] })
const TagReference = BaseModelSerializer(tags, { fields: ['label'] })
const reds = scoped(people, ({ user }) => (user ? allRecords : eq(people.team, 'red')))
type Person = { id: string; name: string }

const BookSerializer = BaseModelSerializer(books, {
  fields: ['title', 'author', 'editor'],
  extra: {
    author: IdToDataField({ queryset: people, serializer: PersonReference }),
    editor: FlexibleField({ queryset: reds, serializer: PersonReference }),
    authorName: ReadOnlyStrField({ queryset: people, str: 'name', column: 'author' }),
    editorName: ReadOnlyStrField({ queryset: people, str: 'name', column: 'editor' }),
    authorMail: ReadOnlyStrField({ queryset: people, str: 'email', column: 'author' }),
    authorId: ReadOnlyIdField({ queryset: people, column: 'author' }),
    editorData: ReadOnlyDataField({ queryset: people, serializer: PersonReference, column: 'editor' }),
    hidden: ReadOnlyDataField({ queryset: reds, serializer: PersonReference, column: 'author', scopeReads: true }),
    tags: ManyIdToDataField({ queryset: tags, serializer: TagReference, through: bookTags, ordering: '-label' }),
  },
})
type Book = SerializerOutput<typeof BookSerializer>
type _outputs = [
  Expect<Equal<Book['author'], Person>>,
  Expect<Equal<Book['editor'], Person | null>>,
  Expect<Equal<Book['authorName'], string>>,
  Expect<Equal<Book['editorName'], string | null>>,
  // What stands for a record may be null itself.
  Expect<Equal<Book['authorMail'], string | null>>,
  Expect<Equal<Book['authorId'], string>>,
  Expect<Equal<Book['editorData'], Person | null>>,
  // A record that is stored may be out of sight.
  Expect<Equal<Book['hidden'], Person | null>>,
  Expect<Equal<Book['tags'], { label: string }[]>>,
  Expect<
    Equal<
      keyof SerializerData<typeof BookSerializer> & `author${string}`,
      'author' | 'author_name' | 'author_mail' | 'author_id'
    >
  >,
]

const sides = BaseModelSerializer(books, {
  fields: ['author', 'editor'],
  extra: {
    author: CustomOutputField({ queryset: people, output: person => ({ initial: person.name[0], age: 7 }) }),
    editor: CustomOutputField({ queryset: people, output: person => person.name.length }),
  },
})
const LoanSerializer = BaseModelSerializer(loans, {
  fields: ['shelf'],
  extra: { shelf: IdOnlyField({ queryset: shelves }) },
})
const ShelfSerializer = BaseModelSerializer(shelves, {
  fields: ['category'],
  extra: { category: StrOnlyField({ queryset: categories, str: 'label' }) },
})
type _sides = [
  Expect<Equal<SerializerOutput<typeof sides>['author'], { initial: string | undefined; age: number }>>,
  Expect<Equal<SerializerOutput<typeof sides>['editor'], number | null>>,
  // An identifier has the type of the key that it is.
  Expect<Equal<SerializerOutput<typeof LoanSerializer>['shelf'], number>>,
  Expect<Equal<SerializerOutput<typeof ShelfSerializer>['category'], string | null>>,
]

// What a write holds: an identifier, or what is still to be created.
type BookInput = SerializerInput<typeof BookSerializer>
type _inputs = [
  Expect<Equal<BookInput['title'], string | undefined>>,
  Expect<Equal<BookInput['author'], string | undefined>>,
  Expect<Equal<BookInput['editor'], string | null | NestedDraft<typeof people> | undefined>>,
  Expect<Equal<BookInput['tags'], RelatedSet<string> | undefined>>,
  // Without such a relation, they are the model's own.
  Expect<Equal<SerializerInput<typeof LoanSerializer>, Partial<typeof loans.$inferInsert>>>,
]
class Books extends BaseViewSet({ model: books, serializer: BookSerializer, permissionClasses: [AllowAny] }) {
  override async performCreate(values: BookInput) {
    return super.performCreate({ ...values, tags: values.tags?.with([...values.tags.keys, 'id']) })
  }
}
declare const view: InstanceType<typeof Books>
view.performCreate satisfies unknown
BaseModelSerializer(books, {
  fields: ['title'],
  extra: { author: DataToDataField({ queryset: people, serializer: PersonReference }) },
  validate: ({ author, title }) => {
    title satisfies string | undefined
    if (typeof author === 'object') author.values.name satisfies string | undefined
  },
})
BaseModelSerializer(books, {
  fields: ['author'],
  extra: { author: DataToIdField({ queryset: people, serializer: PersonReference }) },
})
ManyIdToDataField({
  queryset: people,
  serializer: PersonReference,
  through: friendships,
  throughFields: ['from', 'to'],
  ordering: ['name', '-id'],
})

// @ts-expect-error a typo in the field that stands for a record
IdToStrField({ queryset: people, str: 'nmae' })
// @ts-expect-error the same in a scoped queryset
StrOnlyField({ queryset: reds, str: 'nmae' })
// @ts-expect-error the field that stands for a record is required
ReadOnlyStrField({ queryset: people })
// @ts-expect-error the serializer of another model
StrToDataField({ queryset: people, str: 'name', serializer: TagReference })
// @ts-expect-error the serializer of another model, scoped
FlexibleField({ queryset: reds, serializer: TagReference })
// @ts-expect-error the serializer of another model
ManyIdToDataField({ queryset: people, serializer: TagReference, through: bookTags })
// @ts-expect-error an identifier is shown without a serializer
IdOnlyField({ queryset: people, serializer: PersonReference })
// @ts-expect-error what can only be read is read-only already
ReadOnlyIdField({ queryset: people, readOnly: false })
// @ts-expect-error an unknown option
DataToDataField({ queryset: people, serializer: PersonReference, readonly: true })
// @ts-expect-error the output sees the related record, which has no such field
CustomOutputField({ queryset: people, output: person => person.nmae })
// @ts-expect-error a join table is a table
ManyIdToDataField({ queryset: tags, serializer: TagReference, through: 'book_tags' })
// @ts-expect-error the join table has no such field
ManyIdToDataField({ queryset: tags, serializer: TagReference, through: bookTags, throughFields: ['book', 'tga'] })
// @ts-expect-error the related model has no such field
ManyIdToDataField({ queryset: tags, serializer: TagReference, through: bookTags, ordering: 'lable' })
// @ts-expect-error the related model has no such foreign key
ManyIdToDataField({ queryset: notes, serializer: BaseModelSerializer(notes, { fields: ['text'] }), column: 'bok' })
// @ts-expect-error a condition is Drizzle's, not a boolean
scoped(people, () => true)
BaseModelSerializer(chapters, {
  fields: ['title'],
  // @ts-expect-error the model has no such foreign key
  extra: { book: IdOnlyField({ queryset: books, column: 'bok' }) },
})
