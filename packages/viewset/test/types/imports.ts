// What the compiler must know of imports, and what it must refuse.
import { eq } from 'drizzle-orm'
import {
  type ColumnKit,
  type ImportFileConfig,
  type ImportMapping,
  ImportService,
  type ImportTransforms,
  importForeignKey,
  importManyToMany,
  importModel,
  type PrepareRow,
  scoped,
  skipRow,
} from 'viewset'
import { models } from '../support/models.ts'

declare const kit: ColumnKit
const { authors, articles } = models(kit)

const authorRows = importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] })
const articleRows = importModel({
  model: articles,
  fields: ['title', 'price'],
  uniqueFields: ['author', 'title'],
  foreignKeys: {
    author: importForeignKey({
      model: scoped(authors, () => eq(authors.isActive, true)),
      lookupField: 'email',
      sourceField: 'author_email',
    }),
  },
})

export const config = {
  fileFormat: ['csv', 'xlsx'],
  order: ['authors', 'articles'],
  models: { authors: authorRows, articles: articleRows },
} satisfies ImportFileConfig

export const transforms: ImportTransforms<'name' | 'title'> = {
  name: value => String(value).trim(),
  'articles.title': value => value,
}

new ImportService({ ...config, headers: { Author: 'name', 'E-mail': ['authors.email', 'author_email'] } })
// @ts-expect-error a header of no imported field
new ImportService({ ...config, headers: { Author: 'nmae' } })

export const mapping: ImportMapping = { Author: 'name', Notes: null, Both: ['name', 'email'] }
export const mappingBySheet: ImportMapping = { authors: { Author: 'name', Notes: null } }
// @ts-expect-error a field is a name
export const wrongMapping: ImportMapping = { Author: 1 }

// A source field may be named among the fields, and stand for its relation in what is unique.
export const named = importModel({
  model: articles,
  fields: ['title', 'author_email'],
  uniqueFields: ['author_email', 'title'],
  foreignKeys: { author: importForeignKey({ model: authors, lookupField: 'email', sourceField: 'author_email' }) },
})
const byEmail = {
  author: importForeignKey({ model: authors, lookupField: 'email', sourceField: 'author_email' }),
} as const
// @ts-expect-error a typo in a source field
importModel({ model: articles, fields: ['author_emial'], uniqueFields: ['title'], foreignKeys: byEmail })
// @ts-expect-error a typo in a unique source field
importModel({ model: articles, fields: ['title'], uniqueFields: ['author_emial'], foreignKeys: byEmail })

// @ts-expect-error an unknown field
importModel({ model: authors, fields: ['nmae'], uniqueFields: ['name'] })
// @ts-expect-error an unknown unique field
importModel({ model: authors, fields: ['name'], uniqueFields: ['emial'] })

// What rows do with stored records; only rows that each create one need no unique fields.
importModel({
  model: authors,
  fields: ['name', 'email'],
  uniqueFields: ['email'],
  onExisting: 'skip',
  onMissing: 'create',
  skipUnchanged: false,
})
importModel({ model: authors, fields: ['name', 'email'], createOnly: true })
importModel({ model: authors, fields: ['name', 'email'], uniqueFields: [], createOnly: true })
// @ts-expect-error unique fields are needed to find a record
importModel({ model: authors, fields: ['name', 'email'] })
// @ts-expect-error a typo in a policy
importModel({ model: authors, fields: ['name'], uniqueFields: ['name'], onExisting: 'ignore' })
// @ts-expect-error a typo in a policy's name
importModel({ model: authors, fields: ['name'], uniqueFields: ['name'], onExistin: 'skip' })
// @ts-expect-error createOnly looks for no record
importModel({ model: authors, fields: ['name'], uniqueFields: ['name'], createOnly: true })
// @ts-expect-error createOnly finds no record that could be skipped
importModel({ model: authors, fields: ['name'], createOnly: true, onExisting: 'skip' })

importModel({
  model: articles,
  fields: ['title', 'body', 'author_email'],
  uniqueFields: ['title'],
  foreignKeys: byEmail,
  optional: ['body', 'author_email', 'author'],
})
importModel({ model: authors, fields: ['name'], uniqueFields: ['name'], onDuplicateRow: 'fail' })
// @ts-expect-error an unknown effect of duplicate rows
importModel({ model: authors, fields: ['name'], uniqueFields: ['name'], onDuplicateRow: 'first' })
importModel({ model: articles, fields: ['title', 'body'], uniqueFields: ['title'], sensitive: ['body'] })
// @ts-expect-error a typo in a sensitive column
importModel({ model: articles, fields: ['title', 'body'], uniqueFields: ['title'], sensitive: ['boyd'] })
// @ts-expect-error a typo in an optional column
importModel({ model: articles, fields: ['title', 'body'], uniqueFields: ['title'], optional: ['boyd'] })

// Fields that no file has: of the model, or source fields; a row hook returns cells, or leaves the row out.
importModel({
  model: articles,
  fields: ['title'],
  uniqueFields: ['title', 'author_email'],
  foreignKeys: byEmail,
  computedFields: { body: row => row.Text, author_email: row => String(row.Author).toLowerCase() },
  constantFields: { status: 'draft' },
})
// @ts-expect-error a typo in a computed field
importModel({ model: articles, fields: ['title'], uniqueFields: ['title'], computedFields: { boyd: () => 'x' } })
// @ts-expect-error a typo in a constant field
importModel({ model: articles, fields: ['title'], uniqueFields: ['title'], constantFields: { statsu: 'draft' } })
// @ts-expect-error a computed field is a function
importModel({ model: articles, fields: ['title'], uniqueFields: ['title'], computedFields: { body: 'x' } })
export const wholeFile: ImportFileConfig = {
  fileFormat: 'csv',
  order: [],
  models: {},
  totalsRows: 'skip',
  allOrNothing: true,
}
// @ts-expect-error: an unknown action for rows of totals
export const ignoredTotals: ImportFileConfig = { ...wholeFile, totalsRows: 'ignore' }
export const warned: PrepareRow = (row, { warn }) => {
  warn('price', 'This price is high.')
  // @ts-expect-error: a warning has a field and a text
  warn('price')
  return row
}
export const prepareRow: PrepareRow = (row, { rowNumber, sheet, view }) => {
  const number: number = rowNumber
  const text: string | number | boolean | null | undefined = row.anything
  const name: string | undefined = view?.user?.id === undefined ? sheet : undefined
  return text === 'Total' ? skipRow : { ...row, number, name }
}
export const lookingUp: PrepareRow = async row => ((await Promise.resolve(row.name === null)) ? skipRow : row)
// @ts-expect-error a row hook returns the row
export const forgetful: PrepareRow = row => {
  row.name = 'x'
}
// @ts-expect-error a locale is a language tag
export const wrongLocale: ImportFileConfig = { fileFormat: 'csv', order: [], models: {}, locale: ['de-DE'] }
// What a record is linked to, and which rows delete theirs.
const { tags, articleTags } = { tags: authors, articleTags: articles }
const linked = importManyToMany({ model: tags, lookupField: 'name', sourceField: 'tag_names', through: articleTags })
export const linkedRows = importModel({
  model: articles,
  fields: ['title'],
  uniqueFields: ['title'],
  manyToMany: { tags: linked },
  deleteWhen: { sourceField: 'gone', equals: ['yes', 'x', true] },
})
export const linkedTransforms: ImportTransforms<'tag_names' | 'gone'> = {
  tag_names: value => value,
  gone: value => value,
}
export const listedRows = importModel({
  model: articles,
  fields: ['title'],
  lists: ['comments'],
  uniqueFields: ['title'],
  optional: ['comments'],
})
export const listedTransforms: ImportTransforms<'comments'> = { comments: value => value }
new ImportService({
  fileFormat: 'csv',
  order: ['articles'],
  models: { articles: listedRows },
  headers: { Notes: 'comments' },
})
// @ts-expect-error a list is named in lists
importModel({ model: articles, fields: ['title', 'comments'], lists: ['comments'], uniqueFields: ['title'] })
// @ts-expect-error a typo in what is looked up
importManyToMany({ model: tags, lookupField: 'nmae', sourceField: 'tag_names' })
const wrongKeys = ['a', 'author'] as const
// @ts-expect-error a typo in a foreign key of the join table
importManyToMany({ model: tags, lookupField: 'name', sourceField: 'x', through: articleTags, throughFields: wrongKeys })
// @ts-expect-error a typo in a setting
importManyToMany({ model: tags, lookupField: 'name', sourceField: 'tag_names', seperator: ',' })
// @ts-expect-error a deletion says by what
importModel({ model: articles, fields: ['title'], uniqueFields: ['title'], deleteWhen: { sourceField: 'gone' } })
const gone = { sourceField: 'gone', equals: ['x'] } as const
// @ts-expect-error a column that deletes fills no field
importModel({ model: articles, fields: ['gone'], uniqueFields: ['title'], deleteWhen: gone })

const author = importForeignKey({ model: authors, lookupField: 'email', sourceField: 'x' })
// @ts-expect-error an unknown relation
importModel({ model: articles, fields: [], uniqueFields: ['title'], foreignKeys: { auhtor: author } })
// @ts-expect-error an unknown lookup field
importForeignKey({ model: authors, lookupField: 'emial', sourceField: 'author_email' })
// @ts-expect-error a source field is always named
importForeignKey({ model: authors, lookupField: 'email' })
// @ts-expect-error an unknown format
export const wrongFormat: ImportFileConfig = { fileFormat: 'ods', order: [], models: {} }
// @ts-expect-error a typo in a setting
export const wrongSetting: ImportFileConfig = { fileFormat: 'csv', order: [], models: {}, chunksize: 1 }
// @ts-expect-error a transform of no imported field
export const wrongTransform: ImportTransforms<'name' | 'title'> = { naem: value => value }
