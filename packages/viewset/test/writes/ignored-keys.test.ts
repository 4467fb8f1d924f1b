import { AllowAny, BaseModelSerializer, BulkUpsertModelMixin, BulkViewSet, compose, DataToDataField } from 'viewset'
import { beforeEach, expect, test, vi } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, expectInvalid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { notAText, notAWholeNumber } from '../support/texts.ts'

const REQUIRED = 'This field is required.'

describeDialects('a key that no field reads', dialect => {
  const c = dialect.kit
  const groups = c.table('groups', { id: c.integer().primaryKey(), name: c.text(10).notNull() })
  const things = c.table('things', {
    id: c.integer().primaryKey(),
    name: c.text(10).notNull().unique(),
    rating: c.integer().notNull(),
    publishedOn: c.date(),
    secret: c.text(10),
    group: c.foreignKey(groups),
  })
  const fields = ['id', 'name', 'rating', 'publishedOn', 'group'] as const
  const resource = () => {
    const serializer = BaseModelSerializer(things, { fields: [...fields], readOnly: ['id'] })
    return { model: things, serializer, permissionClasses: [AllowAny] } as const
  }
  const log = capturedLog('warn')
  const api = useApi(dialect, {
    tables: { groups, things },
    server: log.server,
    resources: {
      things: BulkViewSet(resource()),
      // Each serializer logs a key once, so tests of the log have their own.
      logged: BulkViewSet(resource()),
      'logged-bulk': BulkViewSet(resource()),
      'logged-upsert': compose(BulkUpsertModelMixin)({ ...resource(), upsertFields: ['name'] }),
      quiet: BulkViewSet(resource()),
      nested: BulkViewSet({
        model: things,
        serializer: BaseModelSerializer(things, {
          fields: [...fields],
          readOnly: ['id'],
          extra: {
            group: DataToDataField({
              queryset: groups,
              serializer: BaseModelSerializer(groups, { fields: ['id', 'name'] }),
            }),
          },
        }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  beforeEach(() => {
    log.lines.length = 0
  })
  const messages = () => log.lines.map(({ msg }) => msg)
  const logged = (key: string, help = '') =>
    `"${key}" was sent and ignored: the serializer of "things" has no such field.${help} This is logged once, and not in production.`

  test('is named by the error of a required field that it resembles', async () => {
    const missing = { rating: [`${REQUIRED} "ratng" was sent; did you mean "rating"?`] }
    expectInvalid(await api.post('/things/', { name: 'A', ratng: 5 }), missing)
    expectInvalid(await api.post('/things/bulk-create/', [{ name: 'A', ratng: 5 }]), {
      '0.rating': missing.rating,
    })
    expectInvalid(await api.post('/things/', { other: 5, rating: 1 }), { name: [REQUIRED] })
    expectInvalid(await api.post('/nested/', { name: 'A', rating: 1, group: { nme: 'x' } }), {
      'group.name': [`${REQUIRED} "nme" was sent; did you mean "name"?`],
    })
  })

  test('is named by the message of a 400 if it resembles a field that was not sent', async () => {
    const wrong = { rating: [notAWholeNumber('x')] }
    const hint = `${wrong.rating[0]} "publishedOn" was ignored; did you mean "published_on"?`
    expectError(await api.post('/things/', { name: 'A', rating: 'x', publishedOn: '2026-01-01' }), 400, hint, wrong)
    const items = [
      { name: 'A', rating: 1, publishedOn: null },
      { name: 'B', rating: 'x' },
    ]
    expectError(await api.post('/things/bulk-create/', items), 400, hint, { '1.rating': wrong.rating })
    // The field itself was sent, a read-only field is no mistake, and these resemble nothing.
    for (const sent of [{ published_on: null, publishedOn: null }, { id: 7 }, { lines: [] }, { _etag: 'x' }]) {
      expectInvalid(await api.post('/things/', { name: 'A', rating: 'x', ...sent }), wrong)
    }
  })

  test('is ignored in a write that is right, and logged once in development', async () => {
    const { id } = (await api.post('/logged/', { name: 'A', rating: 1, lines: [] })).data<{ id: number }>()
    for (let i = 0; i < 2; i++) {
      expect((await api.patch(`/logged/${id}/`, { ratng: 5, secret: 'x', id: 9, _csrf: 'x' })).status).toBe(200)
    }
    expect(messages()).toEqual([logged('lines'), logged('ratng', ' Did you mean "rating"?'), logged('secret')])
  })

  test('is logged in bulk and in an upsert, too', async () => {
    allowUndescribed(/takes|body/, 'keys that are ignored are not described')
    const created = await api.post('/logged-bulk/bulk-create/', [{ name: 'A', rating: 1, nme: 'x' }])
    const [{ id } = { id: 0 }] = created.data<{ id: number }[]>()
    await api.request('PATCH', '/logged-bulk/bulk-update/', { body: [{ id, groop: 1 }] })
    await api.request('POST', '/logged-upsert/bulk-upsert/', { body: [{ name: 'B', rating: 1, ratngs: 1 }] })
    expect(messages()).toEqual([logged('nme'), logged('groop', ' Did you mean "group"?'), logged('ratngs')])
  })

  test('is not logged in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    expect((await api.post('/quiet/', { name: 'A', rating: 1, ratng: 5 })).status).toBe(201)
    vi.unstubAllEnvs()
    expect(messages()).toEqual([])
  })

  test('is compared with the fields in the first items of a body only', async () => {
    const items = Array.from({ length: 150 }, (_, i) => ({ name: `A${i}`, ratng: 5 }))
    const { errors } = (await api.post('/things/bulk-create/', items)).envelope()
    expect(Object.keys(errors ?? {})).toHaveLength(150)
    expect(errors).toMatchObject({
      '0.rating': [expect.stringContaining('did you mean "rating"?')],
      '149.rating': [REQUIRED],
    })
    const late = [
      ...Array.from({ length: 150 }, (_, i) => ({ name: `A${i}`, rating: 5 })),
      { name: 'A', rating: 'x', publishedOn: null },
    ]
    expectError(await api.post('/things/bulk-create/', late), 400, notAWholeNumber('x'), {
      '150.rating': [notAWholeNumber('x')],
    })
  })

  test('costs no more for a client that sends very many', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`ratin${i}`, i]))
    const { message, errors } = (await api.post('/things/', { name: 5, rating: 1, ...many })).envelope()
    expect(errors).toEqual({ name: [notAText(5)] })
    expect(message).toBe(notAText(5))
  })
})
