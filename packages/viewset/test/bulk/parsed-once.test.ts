import { randomUUID } from 'node:crypto'
import { AllowAny, BaseModelSerializer, BulkViewSet, insertMany } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'

describeDialects('a bulk request', dialect => {
  const { kit: c } = dialect
  const beds = c.table('beds', { id: c.uuid().primaryKey().$defaultFn(randomUUID), label: c.text(20).notNull() })
  const plants = c.table('plants', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    name: c.text(20).notNull(),
    code: c.text(20).unique(),
    bed: c.foreignKey(beds),
  })
  const pages = c.table('pages', {
    id: c.integer().primaryKey(),
    ...c.SlugMixin({ from: 'title' }),
    title: c.text(20).notNull(),
  })

  /** The values that the validator of a field has seen. */
  let seen: unknown[] = []
  const counted = z.string().refine(value => {
    // The tests' description of the API tries examples.
    if (!/example/i.test(value)) seen.push(value)
    return value !== 'bad'
  }, 'It is bad.')

  const config = {
    model: plants,
    serializer: BaseModelSerializer(plants, { fields: ['id', 'name', 'code', 'bed'], refine: { name: counted } }),
    permissionClasses: [AllowAny],
  } as const
  class Performed extends BulkViewSet(config) {
    override async performBulkCreate(values: (typeof plants.$inferInsert)[]) {
      return super.performBulkCreate(values)
    }

    override async performBulkUpdate(...[changes]: Parameters<InstanceType<typeof Plain>['performBulkUpdate']>) {
      return super.performBulkUpdate(changes)
    }
  }
  class Validated extends BulkViewSet(config) {
    override async validateMany(...[items, options]: Parameters<InstanceType<typeof Plain>['validateMany']>) {
      const valid = await super.validateMany(items, options)
      return valid.map(values => ({ ...values, code: 'of the hook' }))
    }
  }
  const Plain = BulkViewSet(config)

  const api = useApi(dialect, {
    tables: { beds, plants, pages },
    resources: {
      plants: Plain,
      saved: BulkViewSet({ ...config, useSaveOnBulkUpdate: true }),
      performed: Performed,
      validated: Validated,
      pages: BulkViewSet({
        model: pages,
        serializer: BaseModelSerializer(pages, { fields: ['id', 'title', 'slug'], refine: { title: counted } }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  beforeEach(async () => {
    await api.database.use(async () => {
      await insertMany(beds, [{ id: uuid(1), label: 'North' }])
      await insertMany(plants, [
        { id: uuid(1), name: 'Ash', code: 'A' },
        { id: uuid(2), name: 'Box', code: 'B' },
      ])
    })
    seen = []
  })

  const names = (body: readonly Readonly<Record<string, unknown>>[]) => body.map(({ name, title = name }) => title)

  describe('parses each item once', () => {
    test.each([
      ['with one statement', '/plants/', [{ name: 'Fir' }, { name: 'Oak', bed: uuid(1) }]],
      ['with unique values', '/plants/', [{ name: 'Fir', code: 'F' }, { name: 'Oak' }]],
      ['with overridden writes', '/performed/', [{ name: 'Fir', code: 'F' }, { name: 'Oak' }]],
      ['with slugs', '/pages/', [{ title: 'Fir' }, { title: 'Oak' }]],
    ])('if it creates records %s', async (_, path, body) => {
      const response = await api.post(`${path}bulk-create/`, body)
      expect([response.status, seen]).toEqual([201, names(body)])
      expect(response.envelope().data).toMatchObject(body)
    })

    test.each([
      ['for an invalid value', [{ name: 'Fir' }, { name: 'bad' }, { name: 'Oak' }], { '1.name': ['It is bad.'] }],
      ['for a taken value', [{ name: 'Fir', code: 'A' }], { '0.code': ['Another record already has this value.'] }],
      [
        'for a reference to no record',
        [{ name: 'Fir' }, { name: 'Oak', bed: uuid(9) }],
        { '1.bed': [`There is no bed with the id "${uuid(9)}".`] },
      ],
      [
        'for an item that is no object',
        [{ name: 'Fir' }, 7],
        { '1.non_field_errors': ['Send a JSON object, not a number.'] },
      ],
    ])('if it is refused %s', async (_, body, errors) => {
      const response = await api.post('/plants/bulk-create/', body)
      expectInvalid(response, errors)
      expect(seen).toEqual(body.filter(item => typeof item === 'object').map(item => (item as { name: string }).name))
    })

    describe.each(['PATCH', 'PUT'] as const)('as a %s', method => {
      const change = (path: string, body: unknown) => api.request(method, `${path}bulk-update/`, { body })

      test.each([
        [
          'with one statement',
          '/plants/',
          [
            { id: uuid(1), name: 'Fir' },
            { id: uuid(2), name: 'Oak' },
          ],
        ],
        [
          'with unique values',
          '/plants/',
          [
            { id: uuid(1), name: 'Fir', code: 'B' },
            { id: uuid(2), name: 'Oak', code: 'A' },
          ],
        ],
        [
          'one by one',
          '/saved/',
          [
            { id: uuid(1), name: 'Fir' },
            { id: uuid(2), name: 'Oak' },
          ],
        ],
        [
          'with overridden writes',
          '/performed/',
          [
            { id: uuid(1), name: 'Fir', code: 'F' },
            { id: uuid(2), name: 'Oak' },
          ],
        ],
      ])('if it updates records %s', async (_, path, body) => {
        const response = await change(path, body)
        expect([response.status, seen]).toEqual([200, names(body)])
        expect(response.envelope().data).toMatchObject(body)
      })

      test.each([
        ['of no record', { id: uuid(9), name: 'Oak' }, 'id'],
        ['without an id', { name: 'Oak' }, 'id'],
        ['with an invalid value', { id: uuid(2), name: 'bad' }, 'name'],
        ['for the same record', { id: uuid(1), name: 'Oak' }, 'id'],
        ['with a taken value', { id: uuid(2), name: 'Oak', code: 'A' }, 'code'],
      ])('if an item %s is refused', async (_, item, field) => {
        const body = [{ id: uuid(1), name: 'Fir' }, item, { id: uuid(2), name: 'Elm' }]
        const sent = field === 'code' ? body.slice(0, 2) : body
        const response = await change('/plants/', sent)
        expect(response.status).toBe(400)
        expect(Object.keys(response.envelope().errors ?? {})).toContain(`1.${field}`)
        expect(seen).toEqual(names(sent))
      })
    })
  })

  test('stores what an overridden validation returns, also for items with unique values', async () => {
    const response = await api.post('/validated/bulk-create/', [{ name: 'Fir', code: 'F' }])
    expect([response.status, seen]).toEqual([201, ['Fir']])
    expect(response.envelope().data).toMatchObject([{ name: 'Fir', code: 'of the hook' }])
  })
})
