import { Readable } from 'node:stream'
import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  ApiError,
  BaseModelSerializer,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  BulkViewSet,
  createRecord,
  Download,
  defineMixin,
  findRecords,
  type Guard,
  type ModelRecord,
  Reply,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'

declare module 'viewset' {
  interface MixinTypes<M, S> {
    HeaderGuard: { config: object; methods: object }
    OtherGuard: { config: object; methods: object }
    NorthMixin: { config: object; methods: object }
    TextHeader: { config: object; methods: object }
    AroundMixin: { config: object; methods: object }
    OuterMixin: { config: object; methods: object }
  }
}

const parsed = (text: unknown): Guard | undefined => (typeof text === 'string' ? JSON.parse(text) : undefined)

/** The guard that a request names itself. */
const HeaderGuard = defineMixin('HeaderGuard', {
  guard: ({ input, index }, { request }) =>
    parsed(index === undefined ? request.headers['x-guard'] : Object(input)._guard),
})
const OtherGuard = defineMixin('OtherGuard', { guard: (_, { request }) => parsed(request.headers['x-other']) })

describeDialects('the seams of a write', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    text: c.text(20).notNull(),
    version: c.integer().notNull().default(1),
    price: c.decimal(8, 2),
    ref: c.uuid(),
    label: c.text(20),
    region: c.text(20).notNull().default('north'),
    ...c.SoftDeleteMixin(),
  })
  const NorthMixin = defineMixin('NorthMixin', {
    scope: () => eq(notes.region, 'north'),
    fixedValues: () => ({ region: 'north' }),
  })
  const TextHeader = defineMixin('TextHeader', {
    headers: {
      reads: () => ['text'],
      of: ({ text, version }) => {
        if (text === 'throw') throw new Error('no header')
        return { 'x-text': String(text), 'x-version': String(version) }
      },
    },
  })
  const around: { run: (next: () => Promise<never>) => unknown } = { run: next => next() }
  const order: string[] = []
  const AroundMixin = defineMixin('AroundMixin', {
    around: {
      isNeeded: ({ request }) => request.headers['x-around'] !== undefined,
      run: async (_, next) => {
        order.push('inner')
        return (await around.run(next as () => Promise<never>)) as Awaited<ReturnType<typeof next>>
      },
    },
  })
  const OuterMixin = defineMixin('OuterMixin', {
    around: {
      isNeeded: ({ request }) => request.headers['x-around'] !== undefined,
      run: (_, next) => {
        order.push('outer')
        return next()
      },
    },
  })
  const config = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'text', 'version', 'region', 'label', 'price', 'ref'] }),
    permissionClasses: [AllowAny],
    upsertFields: ['id'],
    actions: {
      bump: {
        method: 'GET',
        detail: true,
        writes: true,
        handler: async (view: { getObject(): Promise<{ version: number; save(): Promise<unknown> }> }) => {
          const note = await view.getObject()
          note.version += 1
          await note.save()
          return null
        },
      },
      refuse: {
        method: 'POST',
        detail: false,
        handler: async () => {
          await createRecord(notes, { text: 'refused' })
          throw new ApiError(409, 'refused', 'Not now.')
        },
      },
      file: {
        method: 'POST',
        detail: false,
        handler: async () => {
          await createRecord(notes, { text: 'file' })
          const stream = Readable.from(['x'])
          return new Reply(new Download({ filename: 'x', contentType: 'text/plain', stream }), {
            headers: { 'x-bad': 'Zoë\n' },
          })
        },
      },
    },
  } as const
  const Kind = BulkViewSet.add(BulkUpsertModelMixin, BulkRestoreModelMixin)
  class Guarded extends Kind.add(HeaderGuard, OtherGuard)(config) {}
  class Watched extends Kind.add(HeaderGuard, OtherGuard)(config) {
    override finalize(...given: Parameters<InstanceType<typeof Guarded>['finalize']>) {
      return super.finalize(...given)
    }
  }
  class Finds extends Kind.add(NorthMixin)(config) {
    override async getObject() {
      const [note] = await findRecords(notes, sql`${notes.id} = ${Number(this.request.params.id)}`)
      return note as ModelRecord<typeof notes>
    }
  }
  class Fixed extends Kind.add(NorthMixin)(config) {
    override write(...[plan, next]: Parameters<InstanceType<typeof Finds>['write']>) {
      if (plan.kind !== 'update') return next(plan)
      const changes = plan.changes.map(({ record, values }) => ({ record, values: { ...values, region: 'south' } }))
      return next({ ...plan, changes })
    }
  }
  class Twice extends Kind(config) {
    override async write(...[plan, next]: Parameters<InstanceType<typeof Finds>['write']>) {
      await next(plan)
      return next(plan)
    }
  }
  class Other extends Kind(config) {
    override async write(...[plan, next]: Parameters<InstanceType<typeof Finds>['write']>) {
      return (await next(plan)).filter(() => false)
    }
  }
  const api = useApi(dialect, {
    tables: { notes },
    resources: {
      plain: Guarded,
      watched: Watched,
      finds: Finds,
      fixed: Fixed,
      twice: Twice,
      other: Other,
      headed: Kind.add(TextHeader)(config),
      around: Kind.add(AroundMixin, OuterMixin)(config),
    },
    openapi: true,
  })
  beforeEach(() =>
    api.database.use(async () => {
      around.run = next => next()
      order.length = 0
      const ref = 'abcdef00-0000-4000-8000-000000000001'
      await createRecord(notes, { id: 901, text: 'one', version: 5, price: '1.50', ref })
      await createRecord(notes, { id: 902, text: 'two', version: 6 })
      await createRecord(notes, { id: 903, text: 'far', region: 'south' })
    }),
  )
  const stored = async () => (await api.rows('notes')).map(row => row.map(String).join()).toSorted()
  const guardedBy = (guard: unknown, other?: unknown) => ({
    headers: { 'x-guard': JSON.stringify(guard), ...(other !== undefined && { 'x-other': JSON.stringify(other) }) },
  })

  describe.each(['plain', 'watched'])('/%s/', at => {
    test('reports an item without a record as a resource without guards does', async () => {
      const items = [
        { id: 901, text: 'a' },
        { id: 901, text: 'b' },
        { id: 999, text: 'c' },
      ]
      const answer = await api.patch(`/${at}/bulk-update/`, items)
      expect([answer.status, Object.keys(answer.envelope().errors ?? {})]).toEqual([400, ['1.id', '2.id']])
      expect((await api.post(`/${at}/bulk-upsert/`, [items[0], items[1]])).status).toBe(400)
    })

    test.each([
      ['{"version":99}', '{"version":5}', 412],
      ['{"version":5}', '{"version":5}', 200],
      ['{"version":5}', '{"text":"one"}', 200],
      ['{"version":5}', '{"text":"two"}', 412],
    ])('two mixins must both be met: %s and %s', async (guard, other, status) => {
      const headers = { 'x-guard': guard, 'x-other': other }
      expect((await api.patch(`/${at}/901/`, { label: 'x' }, { headers })).status).toBe(status)
      const item = { id: 901, label: 'x', _guard: guard }
      expect((await api.patch(`/${at}/bulk-update/`, [item], { headers })).status).toBe(status)
    })

    test.each([
      [{ price: '1.5' }, 200],
      [{ price: '1.51' }, 412],
      [{ ref: 'ABCDEF00-0000-4000-8000-000000000001' }, 200],
      [{ ref: uuid(9) }, 412],
      [{ label: null }, 200],
      [{ ref: 'garbage' }, 412],
      [{ price: 'garbage' }, 412],
      [{ deletedAt: 'garbage' }, 412],
      [{ version: 'garbage' }, 412],
      [{ version: 1e30 }, 412],
      [{ version: {} }, 412],
      [{ text: null }, 412],
    ])('a guard means the same with and without a watcher: %j', async (guard, status) => {
      expect((await api.patch(`/${at}/901/`, { text: 'x' }, guardedBy(guard))).status).toBe(status)
    })

    test('a guard of isActive is not lost in a soft delete', async () => {
      const before = await stored()
      const answer = await api.post(`/${at}/bulk-soft-delete/`, [{ id: 901, _guard: '{"isActive":false}' }])
      expect([answer.status, await stored()]).toEqual([412, before])
    })

    test('a GET that writes is guarded', async () => {
      expect((await api.get(`/${at}/901/bump/`, guardedBy({ version: 4 }))).status).toBe(412)
      expect((await api.get(`/${at}/901/bump/`, guardedBy({ version: 5 }))).status).toBe(200)
      expect((await api.get(`/${at}/901/`, guardedBy({ version: 5 }))).status).toBe(200)
    })
  })

  test('the document says that a guard may refuse', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    expect(paths['/plain/{id}/'].patch.responses).toHaveProperty('412')
    expect(paths['/plain/bulk-delete/'].post.responses).toHaveProperty('412')
    // Without a guard, only a precondition of the request may refuse.
    expect(paths['/finds/{id}/'].patch.responses).toHaveProperty('412')
    expect(paths['/finds/bulk-delete/'].post.responses).not.toHaveProperty('412')
  })

  test('a scope holds for the record of an overridden getObject', async () => {
    expect((await api.get('/finds/903/')).status).toBe(404)
    expect((await api.patch('/finds/903/', { text: 'x' })).status).toBe(404)
    expect((await api.delete('/finds/903/')).status).toBe(404)
    expect((await api.patch('/finds/901/', { text: 'x' })).status).toBe(200)
  })

  test('no hook changes a fixed value of a stored record', async () => {
    expect((await api.patch('/fixed/901/', { text: 'x' })).data()).toMatchObject({ region: 'north' })
    await api.patch('/fixed/bulk-update/', [{ id: 901, text: 'y' }])
    await api.post('/fixed/bulk-upsert/', [{ id: 902, text: 'z' }])
    expect((await stored()).filter(row => row.includes('south'))).toHaveLength(1)
  })

  test.each(['twice', 'other'])('a hook that writes otherwise than it was asked is an error: %s', async at => {
    const before = await stored()
    expect((await api.post(`/${at}/bulk-create/`, [{ text: 'a' }, { text: 'b' }])).status).toBe(500)
    expect((await api.post(`/${at}/bulk-delete/`, [901])).status).toBe(500)
    expect(await stored()).toEqual(before)
  })

  test('a header that fails is left out, and a header sees what it reads', async () => {
    const good = await api.post('/headed/', { text: 'new' })
    expect([good.headers['x-text'], good.headers['x-version']]).toEqual(['new', 'undefined'])
    for (const text of ['throw', 'Zo\u0142']) {
      for (const answer of [
        await api.post('/headed/', { text }),
        await api.patch('/headed/901/', { text }),
        await api.get('/headed/901/'),
      ]) {
        expect([answer.status < 300, answer.headers['x-text']]).toEqual([true, undefined])
      }
    }
  })

  test('a file whose headers cannot be sent stores nothing', async () => {
    const before = await stored()
    expect((await api.post('/plain/file/', {})).status).toBe(500)
    expect(await stored()).toEqual(before)
  })

  const enclosed = { headers: { 'x-around': '1' } }

  test.each([
    ['nothing', undefined],
    ['a wrong status', { status: 42, headers: {}, body: '' }],
    ['a wrong header', { status: 200, headers: { 'x-name': 'Zoë\n' }, body: '' }],
    ['no body', { status: 200, headers: {} }],
  ])('an answer of a mixin that no server sends stores nothing: %s', async (_, answer) => {
    const before = await stored()
    around.run = async next => {
      await next()
      return answer
    }
    const sent = await api.post('/around/', { text: 'new' }, enclosed)
    expect([sent.status, sent.envelope().success]).toEqual([500, false])
    expect(await stored()).toEqual(before)
  })

  test('an error undoes the write, also if a mixin answers in its place', async () => {
    const before = await stored()
    around.run = async next => {
      try {
        return await next()
      } catch {
        return { status: 409, headers: { 'content-type': 'application/json' }, body: '{}' }
      }
    }
    allowUndescribed(/refuse/, 'the mixin of this test answers without an envelope')
    expect((await api.post('/around/refuse/', {}, enclosed)).text).toBe('{}')
    expect(await stored()).toEqual(before)
  })

  test('the later mixin encloses the earlier one', async () => {
    await api.get('/around/901/', enclosed)
    expect(order).toEqual(['outer', 'inner'])
  })
})
