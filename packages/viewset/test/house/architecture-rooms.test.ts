import { expect, test } from 'vitest'
import { backArrows, linesOf, longFunctions, roomsIn } from '../support/rooms.ts'
import { readSources } from '../support/sources.ts'

// Fences: what is wrong today may only shrink. A smaller number belongs into this file, in the commit that made it smaller.

/** The folders of `viewset/`, each before those that it may import. `door` is the files beside the folders. */
const ORDER = [
  'undo',
  'endpoints',
  'parent',
  'tenant',
  'idempotency',
  'authentication',
  'mixins',
  'mappings',
  'jobs',
  'history',
  'files',
  'write',
  'version',
  'soft-delete',
  'bulk',
  'resource',
  'reading',
  'description',
  'door',
  'answer',
]

const BACK_ARROWS = [
  'answer > reading: 1',
  'answer > resource: 1',
  'answer > version: 1',
  'bulk > write: 3',
  'description > files: 1',
  'description > jobs: 1',
  'door > bulk: 1',
  'door > description: 5',
  'door > endpoints: 3',
  'door > idempotency: 3',
  'door > mappings: 2',
  'door > mixins: 10',
  'door > parent: 2',
  'door > reading: 2',
  'door > resource: 7',
  'door > soft-delete: 2',
  'door > tenant: 3',
  'door > version: 2',
  'door > write: 5',
  'files > mixins: 3',
  'jobs > mixins: 2',
  'jobs > undo: 1',
  'mappings > endpoints: 1',
  'reading > mixins: 1',
  'reading > resource: 1',
  'reading > write: 1',
  'resource > endpoints: 1',
  'resource > mixins: 6',
  'resource > parent: 1',
  'resource > tenant: 1',
  'tenant > parent: 1',
]

test('the order has each folder of viewset/', async () => {
  expect(roomsIn(await readSources())).toEqual(ORDER.toSorted())
})

test('no folder of viewset/ imports one before it, but for these', async () => {
  expect(backArrows(await readSources(), ORDER)).toEqual(BACK_ARROWS)
})

/** The functions of more than 60 lines. */
const LONG_FUNCTIONS = [
  'describe/openapi/responses.ts: 83',
  'importing/edit/edit-layout.ts: 81',
  'importing/edit/merge-edits.ts: 63',
  'importing/plan/build-plan.ts: 86',
  'importing/read/choose-sheets.ts: 70',
  'importing/write/sort-records.ts: 62',
  'model/create-kit.ts: 139',
  'serializer/build-fields.ts: 70',
  'serializer/relations/build-relation.ts: 65',
  'store/write/record-history.ts: 73',
  'tabular/xlsx/write.ts: 61',
  'viewset/description/file-descriptions.ts: 64',
  'viewset/jobs/job-viewset.ts: 161',
  'viewset/mixin.ts: 75',
  'viewset/mixins/file-import-mixin.ts: 158',
]

test('no function has more than 60 lines, but for these', async () => {
  expect(longFunctions(await readSources(), 60).toSorted()).toEqual(LONG_FUNCTIONS)
})

/** The most lines of each part of the sources. The core is what every resource needs. */
const BUDGETS: Readonly<Record<string, number>> = {
  core: 7_250,
  kinds: 2_450,
  query: 2_050,
  model: 5_250,
  store: 9_650,
  records: 1_450,
  serializer: 5_050,
  viewset: 17_900,
}

test.each(Object.entries(BUDGETS))('%s/ has at most %d lines', async (layer, most) => {
  expect(linesOf(await readSources(), path => path.startsWith(`${layer}/`))).toBeLessThanOrEqual(most)
})

test('the sources have at most 81,800 lines', async () => {
  expect(linesOf(await readSources(), () => true)).toBeLessThanOrEqual(81_800)
})

const FEATURES = /history|version|undo|tenant|soft-?delete|idempoten|mapping|\bjob/i

/** The files of the core that name a feature, by their layer. A feature belongs into a folder of its own. */
const NAMING_FEATURES = { core: 14, model: 17, query: 0, records: 4, serializer: 9, store: 31 }

test('no further file of the core names a feature', async () => {
  const sources = await readSources()
  const count = (layer: string) =>
    [...sources].filter(([path, text]) => path.startsWith(`${layer}/`) && FEATURES.test(path + text)).length
  const counted = Object.keys(NAMING_FEATURES).map(layer => [layer, count(layer)])
  expect(Object.fromEntries(counted)).toEqual(NAMING_FEATURES)
})
