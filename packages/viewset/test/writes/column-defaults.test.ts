import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

describeDialects('defaults of columns', dialect => {
  const c = dialect.kit
  const things = c.table('things', {
    id: c.uuid().primaryKey(),
    text: c.text().notNull().default("it's"),
    views: c
      .bigint()
      .notNull()
      .default(2n ** 63n - 1n),
    price: c.decimal(8, 2).notNull().default('-9.90'),
    open: c.boolean().notNull().default(false),
    since: c.timestamp().notNull().default('2026-01-15T10:30:00.123456Z'),
    labels: c
      .json()
      .notNull()
      .default({ "it's": ['"', '\\', null] }),
    word: c.json().notNull().default("it's"),
    zero: c.json().notNull().default(0),
    kind: c.enumeration(["it's", 'b']).notNull().default("it's"),
  })
  const fields = ['id', 'text', 'views', 'price', 'open', 'since', 'labels', 'word', 'zero', 'kind'] as const
  const api = useApi(dialect, {
    tables: { things },
    resources: {
      things: BaseViewSet({
        model: things,
        serializer: BaseModelSerializer(things, { fields }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  const filled = (id: string) => ({
    id,
    text: "it's",
    views: '9223372036854775807',
    price: '-9.90',
    open: false,
    since: '2026-01-15T10:30:00.123456Z',
    labels: { "it's": ['"', '\\', null] },
    word: "it's",
    zero: 0,
    kind: "it's",
  })

  test('fill what a client leaves out', async () => {
    expect((await api.post('/things/', { id: uuid(1) })).data()).toEqual(filled(uuid(1)))
  })

  test("fill rows that are inserted behind the application's back", async () => {
    await api.database.driver.run({ text: `insert into things (id) values ('${uuid(2)}')` }, [])
    expect((await api.get(`/things/${uuid(2)}/`)).data()).toEqual(filled(uuid(2)))
  })
})
