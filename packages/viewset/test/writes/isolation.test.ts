import { setTimeout as sleep } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  Conflict,
  currentDb,
  insertMany,
  type ModelRecord,
} from 'viewset'
import { createApi } from 'viewset/http'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('a serializable action', dialect => {
  const c = dialect.kit
  const doctors = c.table('doctors', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull(),
    onCall: c.boolean().notNull(),
  })
  const serializer = BaseModelSerializer(doctors, { fields: ['id', 'name', 'onCall'] })
  const config = { model: doctors, serializer, permissionClasses: [AllowAny] } as const
  let runs = 0
  let waiting = 0
  /** Holds the first one until the second is here. On SQLite, the second one begins after the first has ended. */
  const meet = async () => {
    waiting++
    if (dialect.name === 'pg') while (waiting < 2) await sleep(1)
  }
  /** One doctor must stay: each reads the rows of both and writes its own. */
  const stayOne = async () => {
    runs++
    const onCall = await currentDb().select().from(doctors).where(eq(doctors.onCall, true))
    await meet()
    if (onCall.length < 2) throw new Conflict({}, 'Somebody must stay.')
  }
  const leave = {
    method: 'POST',
    detail: true,
    handler: async (view: { getObject(): Promise<{ onCall: boolean; save(): Promise<unknown> }> }) => {
      await stayOne()
      const doctor = await view.getObject()
      doctor.onCall = false
      await doctor.save()
    },
  } as const
  class Together extends BulkViewSet({ ...config, isolation: { update: 'serializable' } }) {
    override async performUpdate(record: ModelRecord<typeof doctors>, values: Partial<typeof doctors.$inferInsert>) {
      await stayOne()
      return super.performUpdate(record, values)
    }
  }
  const api = useApi(dialect, {
    tables: { doctors },
    resources: {
      usual: BaseViewSet({ ...config, actions: { leave } }),
      safe: BaseViewSet({ ...config, actions: { leave: { ...leave, isolation: 'serializable' } } }),
      whole: BaseViewSet({ ...config, isolation: 'serializable', actions: { leave } }),
      together: Together,
    },
  })
  beforeEach(async () => {
    runs = 0
    waiting = 0
    await api.database.use(() =>
      insertMany(doctors, [
        { name: 'Ann', onCall: true },
        { name: 'Ben', onCall: true },
      ]),
    )
  })
  const left = async () =>
    (await api.database.use(() => currentDb().select().from(doctors))).filter(d => d.onCall).length
  const both = async (path: (id: number) => string) => {
    const answers = await Promise.all([1, 2].map(id => api.post(path(id))))
    return answers.map(({ status }) => status).toSorted()
  }

  test('is undone and runs again if another one has changed what it read', async () => {
    for (const name of ['safe', 'whole']) {
      await api.database.use(() => currentDb().update(doctors).set({ onCall: true }))
      waiting = 0
      runs = 0
      expect(await both(id => `/${name}/${id}/leave/`)).toEqual([200, 409])
      expect(await left()).toBe(1)
      expect(runs).toBe(dialect.name === 'pg' ? 3 : 2)
    }
  })

  test.runIf(dialect.name === 'pg')(
    'without it, each of two may decide by what the other one is about to change',
    async () => {
      expect(await both(id => `/usual/${id}/leave/`)).toEqual([200, 200])
      expect(await left()).toBe(0)
    },
  )

  test('can be an action of a mixin', async () => {
    const answers = await Promise.all([1, 2].map(id => api.patch(`/together/${id}/`, { on_call: false })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await left()).toBe(1)
  })

  describe('is refused at the start', () => {
    const made = (settings: object) => () =>
      createApi({ database: api.database, resources: { doctors: BaseViewSet({ ...config, ...settings }) } })

    test.each([
      ['for an unknown action', { isolation: { updat: 'serializable' } }, 'did you mean "update"'],
      ['for an action that only reads', { isolation: { list: 'serializable' } }, '"list" has no transaction'],
      ['for another level', { isolation: 'snapshot' }, "must be 'serializable'"],
    ])('%s', (_name, settings, message) => {
      expect(made(settings)).toThrow(message)
    })
  })
})
