import Fastify from 'fastify'
import { AllowAny, BaseViewSet, ImportableViewSet, importModel, type OpenApiDocument } from 'viewset'
import { type ResourcesOptions, resources, serverOptions } from 'viewset/fastify'
import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withArticle } from '../../src/core/messages/joined.ts'
import { recordNames, summaryOfAction } from '../../src/viewset/description/record-names.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describe('the names of records', () => {
  test.each([
    ['cities', 'a city', 'cities'],
    ['boxes', 'a box', 'boxes'],
    ['series', 'a series', 'series'],
    ['people', 'a person', 'people'],
    ['order-items', 'an order item', 'order items'],
    ['audit_log', 'an audit log', 'audit logs'],
    ['admin/authors', 'an author', 'authors'],
    ['countries/:country/cities', 'a city of a country', 'cities of a country'],
    [':tenant/cities', 'a city', 'cities'],
  ])('of /%s/ come from its path', (path, one, many) => {
    expect(recordNames(path)).toMatchObject({ one, many })
  })

  test('are those of the settings, and one setting gives the other', () => {
    expect(recordNames('geo', { verboseName: 'place' })).toEqual({ noun: 'place', one: 'a place', many: 'places' })
    expect(recordNames('geo', { verboseNamePlural: 'towns' })).toEqual({ noun: 'town', one: 'a town', many: 'towns' })
    const both = { verboseName: 'datum', verboseNamePlural: 'data' }
    expect(recordNames('geo', both)).toEqual({ noun: 'datum', one: 'a datum', many: 'data' })
  })

  test.each([
    'a city',
    'an event',
    'a user',
    'a user story',
    'a unit',
    'an umbrella',
    'an hour',
    'a house',
    'a European city',
  ])('have the article that is spoken: %s', words => {
    const [, noun = ''] = /^an? (.*)$/.exec(words) ?? []
    expect(withArticle(noun)).toBe(words)
  })
})

test.each([
  ['publish', 'POST', true, 'Publish an article'],
  ['sweep', 'POST', false, 'Sweep articles'],
  ['markAsRead', 'POST', true, 'Mark an article as read'],
  ['move_up', 'POST', true, 'Move an article up'],
  ['reset-password', 'POST', true, 'Reset password for an article'],
  ['archiveArticle', 'POST', true, 'Archive article'],
  ['history', 'GET', true, 'History of an article'],
  ['knownSizes', 'GET', false, 'Known sizes of articles'],
] as const)('the action %s (%s) without a summary is called by its name', (action, method, detail, summary) => {
  expect(summaryOfAction({ action, method, detail }, recordNames('articles'))).toBe(summary)
})

describe('the summaries of a document', () => {
  let store: TestDatabase
  beforeAll(async () => {
    store = await createTestDatabase()
  })
  afterAll(() => store.drop())

  const tables = models(kit)
  const common = {
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
  }
  const summariesOf = async (registered: ResourcesOptions['resources']) => {
    const app = Fastify(serverOptions)
    await app.register(resources, { database: store.database, resources: registered, openapi: true })
    const { paths, tags }: OpenApiDocument = (await app.inject('/openapi.json')).json()
    const operations = Object.values(paths).flatMap(path => Object.values(path))
    return {
      tags,
      summaries: operations.map(({ summary }) => summary).filter(summary => summary !== 'List the resources'),
    }
  }

  test('name the records by the path of the resource', async () => {
    const { summaries } = await summariesOf({ authors: BaseViewSet(common) })
    expect(summaries).toEqual([
      'Create an author',
      'List authors',
      'Retrieve an author',
      'Update an author',
      'Update some fields of an author',
      'Delete an author',
      'Export authors as CSV, XLSX or PDF',
    ])
  })

  test('name them by verboseName and verboseNamePlural, and the tag as well', async () => {
    const config = { model: tables.authors, fields: ['name', 'email'], uniqueFields: ['email'] } as const
    const importFileConfig = {
      fileFormat: 'csv',
      order: ['authors'],
      models: { authors: importModel(config) },
    } as const
    const writers = ImportableViewSet({
      ...common,
      importFileConfig,
      verboseName: 'writer',
      verboseNamePlural: 'writing people',
    })
    const { summaries, tags } = await summariesOf({ authors: writers })
    expect(summaries).toEqual(
      expect.arrayContaining([
        'Create a writer',
        'List writing people',
        'Import writing people from a CSV file',
        'Download a template for writing people',
      ]),
    )
    expect(tags[0]).toEqual({ name: 'authors', description: 'Writing people.' })
  })

  test('stop at no name that is no text', () => {
    expect(() => BaseViewSet({ ...common, verboseName: 5 as unknown as string })).toThrow('verboseName: must be a text')
  })
})
