import { inArray } from 'drizzle-orm'
import { AllowAny, BaseModelSerializer, BulkViewSet, currentDb, postWrite, ValidationError } from 'viewset'
import { beforeAll, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, pgDialect, type TestDialect } from '../support/dialects.ts'

const TAKEN = 'Another period overlaps.'

/** Prices whose periods must not overlap, by the rule of the cookbook. */
function usePrices(dialect: TestDialect, isolation?: 'serializable') {
  const { kit } = dialect
  const prices = kit.table('prices', {
    id: kit.integer().primaryKey(),
    product: kit.text(20).notNull(),
    starts: kit.date().notNull(),
    ends: kit.date().notNull(),
  })
  postWrite(prices, async ({ after }) => {
    const products = [...new Set(after.map(({ product }) => product))]
    if (products.length === 0) return
    const written = inArray(prices.product, products)
    const periods = await currentDb().select().from(prices).where(written).orderBy(prices.product, prices.starts)
    for (const [index, { product, ends }] of periods.entries()) {
      const next = periods[index + 1]
      if (next?.product === product && next.starts < ends) throw new ValidationError({ starts: [TAKEN] })
    }
  })
  const api = useApi(dialect, {
    tables: { prices },
    resources: {
      prices: BulkViewSet({
        model: prices,
        serializer: BaseModelSerializer(prices, { fields: ['id', 'product', 'starts', 'ends'] }),
        permissionClasses: [AllowAny],
        ...(isolation && { isolation }),
      }),
    },
  })
  const price = (starts: string, ends: string) => ({ product: 'TEA', starts, ends })
  return { api, price }
}

describeDialects('a rule about overlapping periods in postWrite', dialect => {
  const { api, price } = usePrices(dialect, 'serializable')

  test('sees the other items of a bulk request', async () => {
    const items = [price('2026-01-01', '2026-03-01'), price('2026-02-01', '2026-04-01')]
    const answer = await api.post('/prices/bulk-create/', items)
    expect([answer.status, answer.envelope().errors]).toEqual([400, { starts: [TAKEN] }])
    expect(await api.rows('prices')).toEqual([])
  })

  test('lets one of two serializable requests pass, and the other gets its message', async () => {
    const answers = await Promise.all(
      [price('2026-01-01', '2026-03-01'), price('2026-02-01', '2026-04-01')].map(body => api.post('/prices/', body)),
    )
    const [stored, refused] = answers.toSorted((a, b) => a.status - b.status)
    expect([stored?.status, refused?.status, refused?.envelope().errors]).toEqual([201, 400, { starts: [TAKEN] }])
  })
})

const CONSTRAINT =
  'alter table prices add constraint prices_period exclude using gist (product with =, daterange(starts, ends) with &&)'

/** Prices whose table has the exclusion constraint, too. */
function useExclusion(mode: string) {
  const prices = usePrices(pgDialect)
  beforeAll(async () => {
    const { driver } = prices.api.database
    await driver.run({ text: 'create extension if not exists btree_gist' }, [])
    await driver.run({ text: `${CONSTRAINT} ${mode}` }, [])
  })
  return prices
}

describe('an exclusion constraint that is checked at once', () => {
  const { api, price } = useExclusion('')

  test('answers before the rule, without its message', async () => {
    await api.post('/prices/', price('2026-01-01', '2026-03-01'))
    const answer = await api.post('/prices/', price('2026-02-01', '2026-04-01'))
    expect([answer.status, answer.envelope().errors]).toEqual([400, { non_field_errors: ['This value is not valid.'] }])
  })
})

describe('an exclusion constraint that is checked at the commit', () => {
  const { api, price } = useExclusion('deferrable initially deferred')

  test('leaves the message to the rule', async () => {
    await api.post('/prices/', price('2026-01-01', '2026-03-01'))
    const answer = await api.post('/prices/', price('2026-02-01', '2026-04-01'))
    expect([answer.status, answer.envelope().errors]).toEqual([400, { starts: [TAKEN] }])
  })

  test('refuses one of two requests that do not see each other', async () => {
    const bodies = Array.from({ length: 8 }, (_, n) => price(`2026-01-0${n + 1}`, '2026-03-01'))
    const answers = await Promise.all(bodies.map(body => api.post('/prices/', body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)])
    expect(await api.rows('prices')).toHaveLength(1)
  })
})
