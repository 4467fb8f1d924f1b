import { eq } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkViewSet, currentDb, postWrite } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'

const [open, other, hidden, used, absent] = [uuid(1), uuid(2), uuid(3), uuid(4), uuid(99)]

/** What may stand in a list, alone and in every pair. */
const NAMED = [open, other.toUpperCase(), hidden, used, absent, 'no-key', null, 7, { id: open }]
const lists = NAMED.flatMap(first => [[first], ...NAMED.map(second => [first, second])])

/** A table that we did not make keeps its open boxes, without a word. */
const KEEP = {
  sqlite: [`create trigger keep before delete on boxes when old.name = 'open' begin select raise(ignore); end`],
  pg: [
    'create function keep() returns trigger language plpgsql as $$ begin return null; end $$',
    `create trigger keep before delete on boxes for each row when (old.name = 'open') execute function keep()`,
  ],
}

describeDialects('a bulk delete that is one statement', dialect => {
  const { kit } = dialect
  const boxes = kit.table('boxes', {
    id: kit.uuid().primaryKey(),
    name: kit.text(20).notNull(),
    shown: kit.boolean().notNull(),
  })
  const labels = kit.table('labels', { id: kit.integer().primaryKey(), box: kit.foreignKey(boxes).notNull() })
  const config = {
    model: boxes,
    serializer: BaseModelSerializer(boxes, { fields: ['id', 'name', 'shown'] }),
    permissionClasses: [AllowAny],
    queryset: () => eq(boxes.shown, true),
  } as const
  class Direct extends BulkViewSet(config) {}
  type Deletion = Parameters<InstanceType<typeof Direct>['performBulkDelete']>
  /** A hook of its own, though it changes nothing, is asked. */
  class Watched extends BulkViewSet(config) {
    override performBulkDelete(...given: Deletion) {
      return super.performBulkDelete(...given)
    }
  }
  class Each extends BulkViewSet(config) {
    override async performDestroy(box: Parameters<InstanceType<typeof Direct>['performDestroy']>[0]) {
      await super.performDestroy(box)
    }
  }
  const tables = { boxes, labels }
  const api = useApi(dialect, { tables, resources: { direct: Direct, watched: Watched, each: Each } })

  const store = () =>
    api.database.transaction(async () => {
      const db = currentDb()
      await db.delete(labels)
      await db.delete(boxes)
      await db.insert(boxes).values([
        { id: open, name: 'open', shown: true },
        { id: other, name: 'other', shown: true },
        { id: hidden, name: 'hidden', shown: false },
        { id: used, name: 'used', shown: true },
      ])
      await db.insert(labels).values({ id: 1, box: used })
    })
  const stored = () =>
    api.database.use(async () =>
      (await currentDb().select({ name: boxes.name }).from(boxes).orderBy(boxes.name)).map(({ name }) => name),
    )
  beforeEach(store)

  const outcome = async (resource: string, keys: unknown) => {
    const { status, text } = await api.post(`/${resource}/bulk-delete/`, keys)
    const left = await stored()
    if (status === 200) await store()
    return [status, text.replace(/"timestamp":"[^"]*"/, ''), left]
  }

  test('answers and removes what hooks would have, whatever is sent', async () => {
    allowUndescribed(/bulk-delete\/ takes/, 'What is no key names no record. The document says what a key is.')
    const met = new Set<unknown>()
    for (const keys of [...lists, [open, open], [], {}, Array.from({ length: 2_000 }, () => open)]) {
      const expected = await outcome('watched', keys)
      expect(await outcome('direct', keys), JSON.stringify(keys)).toEqual(expected)
      expect(await outcome('each', keys)).toEqual(expected)
      met.add(expected[0])
    }
    expect([...met].sort()).toEqual([200, 400, 409])
  })

  test('asks a second time only for what it did not find', async () => {
    expect(await api.statementsOf(() => api.post('/direct/bulk-delete/', [open, other]))).toHaveLength(1)
    await store()
    expect(await api.statementsOf(() => api.post('/direct/bulk-delete/', [open, hidden]))).toHaveLength(2)
  })

  test('gives way to whoever listens to the model', async () => {
    const seen: unknown[] = []
    const stop = postWrite(boxes, ({ kind, before = [] }) => void seen.push(kind, before.length), { before: true })
    await api.post('/direct/bulk-delete/', [open, other, hidden])
    stop()
    expect(seen).toEqual(['delete', 2])
  })

  test('reports a record that a trigger keeps as there, and as not deleted', async () => {
    for (const text of KEEP[dialect.name]) await api.database.driver.run({ text }, [])
    const answers = []
    for (const resource of ['watched', 'direct']) {
      answers.push((await api.post(`/${resource}/bulk-delete/`, [open, absent])).data())
    }
    await api.database.driver.run(
      { text: dialect.name === 'pg' ? 'drop trigger keep on boxes' : 'drop trigger keep' },
      [],
    )
    const report = { requested_count: 2, count: 0, missing_ids: [absent] }
    expect(answers).toEqual([report, report])
  })

  test('two that name the same records in opposite orders both end well', async () => {
    const keys = Array.from({ length: 300 }, (_, n) => uuid(1_000 + n))
    for (let round = 0; round < 5; round++) {
      await api.database.use(() =>
        currentDb()
          .insert(boxes)
          .values(keys.map(id => ({ id, name: 'same', shown: true }))),
      )
      const both = await Promise.all([
        api.post('/direct/bulk-delete/', keys),
        api.post('/direct/bulk-delete/', keys.toReversed()),
      ])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      const counts = both.map(response => response.data<{ count: number }>().count)
      expect(counts[0]! + counts[1]!).toBe(keys.length)
    }
  })
})
