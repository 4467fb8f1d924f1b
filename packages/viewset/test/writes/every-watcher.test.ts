import {
  BulkCreateModelMixin,
  BulkDeleteModelMixin,
  BulkRestoreModelMixin,
  BulkUpdateModelMixin,
  BulkUpsertModelMixin,
  CreateModelMixin,
  compose,
  DestroyModelMixin,
  defineMixin,
  postDelete,
  postSave,
  postWrite,
  preDelete,
  preSave,
  RestoreModelMixin,
  UpdateModelMixin,
} from 'viewset'
import { describe, expect, inject, test } from 'vitest'
import { GenericViewSet } from '../../src/viewset/generic-viewset.ts'
import { TestApi, useApi } from '../support/api.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { models } from '../support/models.ts'
import { authorSettings, seedAuthors, WRITES, type Writer } from '../support/write-paths.ts'

declare module 'viewset' {
  interface MixinTypes<M, S> {
    ArchiveMixin: { config: object; methods: object }
    WatchMixin: { config: object; methods: object }
  }
}

/** How many records each way to write passes to a hook or listener. A way that is not named passes none. */
type Expected = Readonly<Record<string, number>>

const IMPORTS_CREATE = { 'an import': 1, 'an import in chunks': 1, 'a replace': 2 }
const IMPORTS_UPDATE = { 'an import': 1, 'an import in chunks': 1 }
const BULK_UPDATES = { 'a bulk update': 1, 'a bulk update that saves': 1 }
const EVERY_WAY: Expected = Object.fromEntries(WRITES.map(([label]) => [label, 1]))

const HOOKS: Readonly<Record<string, Expected>> = {
  performCreate: { 'a create': 1, 'a bulk create': 2, ...IMPORTS_CREATE },
  performUpdate: { 'a PUT': 1, 'a PATCH': 1, ...BULK_UPDATES, 'a bulk upsert': 1, ...IMPORTS_UPDATE },
  performDestroy: { 'a DELETE': 1, 'a bulk delete': 2, 'a replace': 3 },
  performBulkCreate: { 'a bulk create': 2, ...IMPORTS_CREATE },
  performBulkUpdate: { ...BULK_UPDATES, 'a bulk upsert': 1, ...IMPORTS_UPDATE },
  performBulkDelete: { 'a bulk delete': 2, 'a replace': 3 },
  performBulkSoftDelete: { 'a bulk soft delete': 2 },
  performRestore: { 'a restore': 1, 'a bulk restore': 1 },
  performBulkRestore: { 'a bulk restore': 1 },
  performBulkUpsert: { 'a bulk upsert': 1 },
  validate: { 'a create': 1, 'a PUT': 1, 'a PATCH': 1 },
  validateMany: { 'a bulk create': 2, ...BULK_UPDATES, 'a bulk upsert': 1 },
  serialize: { 'a create': 1, 'a PUT': 1, 'a PATCH': 1, 'a restore': 1, 'a bulk create': 2, ...BULK_UPDATES },
  serializeMany: { 'a bulk create': 2, ...BULK_UPDATES },
  getObject: { 'a PUT': 1, 'a PATCH': 1, 'a DELETE': 1, 'a restore': 1 },
  checkObjectPermissions: {
    ...{
      'a PUT': 1,
      'a PATCH': 1,
      'a DELETE': 1,
      'a restore': 1,
      ...BULK_UPDATES,
      'a bulk upsert': 1,
      ...IMPORTS_UPDATE,
    },
    ...{ 'a bulk delete': 2, 'a bulk soft delete': 2, 'a bulk restore': 1, 'a replace': 3 },
  },
  write: {
    ...{ 'a create': 1, 'a PUT': 1, 'a PATCH': 1, 'a DELETE': 1, 'a restore': 1, 'a bulk create': 2, ...BULK_UPDATES },
    ...{ 'a bulk upsert': 1, 'a bulk delete': 2, 'a bulk soft delete': 2, 'a bulk restore': 1 },
    ...{ 'an import': 2, 'an import in chunks': 2, 'a replace': 5 },
  },
  // These two see no record: one request calls them once.
  getQueryset: { ...EVERY_WAY, 'a bulk upsert': 3 },
  finalize: EVERY_WAY,
}

/** Methods of a view that see neither a record that is written nor what is to be written to one. */
const OTHERS = [
  ...['initial', 'checkPermissions', 'getSerializer', 'getScope', 'filterQueryset', 'layerOf', 'overrides'],
  ...['createOne', 'updateOne', 'readJson', 'writtenJson', 'getBulkBatchSize', 'checkBulkItems', 'checkSoftDelete'],
  ...[
    'checkUnpaginated',
    'checkExportPermissions',
    'checkImportPermissions',
    'checkUndoPermissions',
    'exportLater',
    'exportOfReader',
    'getImportService',
  ],
  ...['performImport', 'performPreview'],
]

const LISTENERS: Readonly<Record<string, Expected>> = {
  preSave: {
    ...{
      'a create': 1,
      'a PUT': 1,
      'a PATCH': 1,
      'a restore': 1,
      'a bulk create': 2,
      ...BULK_UPDATES,
      'a bulk upsert': 1,
    },
    ...{ 'an import': 2, 'an import in chunks': 2, 'a replace': 2 },
  },
  // Writes of many records by one statement send no signals.
  postSave: { 'a create': 1, 'a PUT': 1, 'a PATCH': 1, 'a restore': 1, 'a bulk update that saves': 1 },
  preDelete: { 'a DELETE': 1 },
  postDelete: { 'a DELETE': 1 },
  postWrite: {
    ...{
      'a create': 1,
      'a PUT': 1,
      'a PATCH': 1,
      'a DELETE': 1,
      'a restore': 1,
      'a bulk create': 2,
      ...BULK_UPDATES,
      'a bulk upsert': 1,
    },
    ...{ 'a bulk delete': 2, 'a bulk soft delete': 2, 'a bulk restore': 1 },
    ...{ 'an import': 2, 'an import in chunks': 2, 'a replace': 5 },
  },
}

/** How many records each watcher has seen since {@link seen} was cleared. */
const seen = new Map<string, number>()
const see = (watcher: string, records: number) => seen.set(watcher, (seen.get(watcher) ?? 0) + records)

/** Of what a hook is given, how many records there are: those of its lists or of its plan, or one. */
function recordsIn(values: readonly unknown[]): number {
  const given = values.flatMap(value => {
    const { values: created, changes, records } = Object(value)
    return [value, created, changes, records]
  })
  const lists = given.flatMap(value => {
    const length: unknown = typeof value === 'object' && value !== null && Reflect.get(value, 'length')
    return typeof length === 'number' ? [length] : []
  })
  return lists.length === 0 ? 1 : lists.reduce((sum, length) => sum + length, 0)
}

/** Overrides `hook` of `target` with a method that counts records and calls the one of `standard`. */
function watch(target: object, hook: string, standard: object): void {
  const value = function (this: object, ...values: readonly unknown[]): unknown {
    see(hook, recordsIn(values))
    return Reflect.apply(Reflect.get(standard, hook), this, values)
  }
  Object.defineProperty(target, hook, { value, configurable: true, writable: true })
}

type Settings = ReturnType<typeof authorSettings>

/** The three ways to override a hook. */
const OVERRIDES = {
  class: (settings: Settings, hook: string) => {
    const Base = FullViewSet(settings)
    const Watched = class extends Base {}
    watch(Watched.prototype, hook, Base.prototype)
    return Watched
  },
  mixin: (settings: Settings, hook: string) => {
    const WatchMixin = defineMixin('WatchMixin', {
      extends: [
        CreateModelMixin,
        UpdateModelMixin,
        DestroyModelMixin,
        BulkCreateModelMixin,
        BulkUpdateModelMixin,
        BulkDeleteModelMixin,
        BulkUpsertModelMixin,
        RestoreModelMixin,
        BulkRestoreModelMixin,
      ],
      methods: Base => {
        const Watched = class extends Base {}
        watch(Watched.prototype, hook, Base.prototype)
        return Watched
      },
    })
    return FullViewSet.add(WatchMixin)(settings)
  },
  property: (settings: Settings, hook: string) => {
    const Base = FullViewSet(settings)
    return class extends Base {
      constructor(...values: ConstructorParameters<typeof Base>) {
        super(...values)
        watch(this, hook, Base.prototype)
      }
    }
  },
}

/** What a resource has for {@link WRITES}, by the name that they ask for. */
const VARIANTS = {
  authors: (settings: Settings) => settings,
  saved: (settings: Settings) => ({ ...settings, useSaveOnBulkUpdate: true }),
  chunked: ({ importFileConfig, ...settings }: Settings) => ({
    ...settings,
    importFileConfig: { ...importFileConfig, chunkSize: 1 },
  }),
}

/** The name of a watched resource in the API. */
const nameOf = (hook: string, variant: string) => `${hook.toLowerCase()}-${variant}`

/** Asks `api` for resources whose names have `prefix` before those that {@link WRITES} ask for. */
function prefixed(api: TestApi, prefix: string): Writer {
  const at = (path: string) => `/${prefix}${path.slice(1)}`
  return {
    request: (method, path, options) => api.request(method, at(path), options),
    post: (path, body, options) => api.post(at(path), body, options),
    put: (path, body, options) => api.put(at(path), body, options),
    patch: (path, body, options) => api.patch(at(path), body, options),
    delete: (path, options) => api.delete(at(path), options),
  }
}

describeDialects('what watches a write sees each record once, whatever the way:', dialect => {
  const tables = models(dialect.kit)
  const settings = authorSettings(tables)
  // Each way to override is the same for both databases.
  const overrides =
    dialect.name === 'sqlite' || inject('thorough') ? Object.entries(OVERRIDES) : [['class', OVERRIDES.class] as const]

  /** What `watcher` sees of each way to write. */
  async function seenBy(watcher: string, api: TestApi, writer: Writer = api): Promise<Expected> {
    const counts: Record<string, number> = {}
    for (const [label, status, write] of WRITES) {
      await api.clear()
      await seedAuthors(api, tables)
      seen.clear()
      const answer = await write(writer)
      expect([label, answer.status, answer.text]).toEqual([label, status, answer.text])
      const count = seen.get(watcher)
      if (count) counts[label] = count
    }
    return counts
  }

  describe.each(overrides.map(([kind, make]) => ({ kind, make })))('an override by a $kind', ({ make }) => {
    const watched = Object.keys(HOOKS).flatMap(hook =>
      Object.entries(VARIANTS).map(([variant, own]) => [nameOf(hook, variant), make(own(settings), hook)] as const),
    )
    const api = useApi(dialect, { tables, resources: Object.fromEntries(watched) })

    test.each(Object.entries(HOOKS))('%s', async (hook, expected) => {
      expect(await seenBy(hook, api, prefixed(api, nameOf(hook, '')))).toEqual(expected)
    })
  })

  const plain = Object.entries(VARIANTS).map(([variant, own]) => [variant, FullViewSet(own(settings))] as const)
  const api = useApi(dialect, { tables, resources: Object.fromEntries(plain) })

  const connect: Readonly<Record<string, () => () => void>> = {
    preSave: () => preSave(tables.authors, () => see('preSave', 1)),
    postSave: () => postSave(tables.authors, () => see('postSave', 1)),
    preDelete: () => preDelete(tables.authors, () => see('preDelete', 1)),
    postDelete: () => postDelete(tables.authors, () => see('postDelete', 1)),
    postWrite: () =>
      postWrite(tables.authors, ({ before = [], after }) => see('postWrite', Math.max(before.length, after.length))),
  }

  test.each(Object.entries(LISTENERS))('a listener of %s', async (signal, expected) => {
    const disconnect = connect[signal]!()
    try {
      expect(await seenBy(signal, api)).toEqual(expected)
    } finally {
      disconnect()
    }
  })
})

test('a mixin that brings a hook for one record is asked in bulk, though no other mixin has that hook', async () => {
  const tables = models(sqliteDialect.kit)
  const ArchiveMixin = defineMixin('ArchiveMixin', {
    methods: Base =>
      class extends Base {
        async performDestroy(record: { softDelete(): Promise<unknown> }) {
          await record.softDelete()
        }
      },
  })
  const { upsertFields, importFileConfig, ...settings } = authorSettings(tables)
  const api = await TestApi.start(sqliteDialect, {
    tables,
    resources: { authors: compose(BulkDeleteModelMixin, ArchiveMixin)(settings) },
  })
  await seedAuthors(api, tables)
  expect((await api.post('/authors/bulk-delete/', [uuid(1), uuid(2)])).status).toBe(200)
  expect(await api.rows('authors')).toHaveLength(3)
  await api.close()
})

test('each method of a view that writes is a hook of the rule above, an action, or none that sees records', () => {
  const Resource = FullViewSet(authorSettings(models(sqliteDialect.kit)))
  const actions = Resource.mixins.flatMap(({ routes }) => routes.map(({ action }) => action))
  const methods = [
    ...Resource.mixins.flatMap(({ hooks }) => hooks),
    ...Object.entries(Object.getOwnPropertyDescriptors(GenericViewSet.prototype))
      .filter(([, { value }]) => typeof value === 'function')
      .map(([name]) => name),
  ]
  const known = new Set(['constructor', ...Object.keys(HOOKS), ...OTHERS, ...actions])
  expect(methods.filter(name => !known.has(name))).toEqual([])
})
