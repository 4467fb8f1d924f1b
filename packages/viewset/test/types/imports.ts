// What the compiler must know of imports, and what it must refuse.
import { eq } from 'drizzle-orm'
import {
  type ColumnKit,
  type ImportFileConfig,
  type ImportMapping,
  ImportService,
  type ImportTransforms,
  importForeignKey,
  importModel,
  scoped,
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
