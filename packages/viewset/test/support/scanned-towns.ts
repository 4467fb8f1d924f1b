import { AllowAny, BaseModelSerializer, BulkViewSet, type Database, insertMany } from 'viewset'
import { createHandler } from 'viewset/fetch'
import { kit as c } from 'viewset/sqlite'

/** A table of which a scan takes longer than ten retrieves. */
export const towns = c.table('towns', {
  id: c.integer().primaryKey(),
  name: c.text(50).notNull(),
  note: c.text(200),
  population: c.integer(),
  visitors: c.bigint(),
  area: c.decimal(12, 3),
  height: c.float(),
  isCapital: c.boolean().notNull(),
  founded: c.date(),
  surveyedAt: c.timestamp(),
  extra: c.json(),
  flag: c.binary(64),
})

/** Towns of which every column has some values, and NULL now and then. */
export async function storeTowns(database: Database, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    name: `Town ${n} ${n % 7 === 0 ? 'ÄRA' : 'é'}`,
    note: n % 5 === 0 ? null : `Note ${n % 13} of ${n % 3}, which is as long as notes are`,
    population: n % 11 === 0 ? null : n % 97,
    visitors: BigInt(n) * 9_007_199_254_740n,
    area: `${n % 50}.${String(n % 1_000).padStart(3, '0')}`,
    height: n / 8,
    isCapital: n % 4 === 0,
    founded: `19${String(n % 100).padStart(2, '0')}-0${(n % 9) + 1}-11`,
    surveyedAt: `2026-01-0${(n % 9) + 1}T0${n % 10}:00:00Z`,
    extra: n % 6 === 0 ? null : { n: n % 3 },
    flag: n % 8 === 0 ? null : Uint8Array.of(n % 256, 0, 255),
  }))
  await database.transaction(async () => {
    for (let at = 0; at < count; at += 5_000) await insertMany(towns, rows.slice(at, at + 5_000))
  })
}

/** What was answered, as text. */
export interface Answered {
  readonly status: number
  readonly text: string
}

export interface TownsApi {
  (path: string, init?: RequestInit): Promise<Answered>
  /** Runs `fn` as an action that reads. */
  read(fn: () => Promise<unknown>): Promise<Answered>
}

const TEXT = ['exact', 'iexact', 'icontains', 'istartswith', 'in', 'isnull'] as const
const NUMBER = ['exact', 'gte', 'lt', 'range', 'isnull'] as const

/** An API over towns. */
export function townsApi(database: Database): TownsApi {
  let reading = async (): Promise<unknown> => null
  const handler = createHandler({
    prefix: '/api',
    database,
    resources: {
      towns: BulkViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, {
          fields: [
            'id',
            'name',
            'note',
            'population',
            'visitors',
            'area',
            'height',
            'isCapital',
            'founded',
            'surveyedAt',
            'extra',
            'flag',
          ],
        }),
        permissionClasses: [AllowAny],
        searchFields: ['name', 'note'],
        filterFields: {
          name: TEXT,
          note: TEXT,
          population: NUMBER,
          visitors: NUMBER,
          area: NUMBER,
          height: NUMBER,
          isCapital: ['exact'],
          founded: ['exact', 'year', 'month', 'isnull'],
          surveyedAt: ['day', 'gte'],
        },
        actions: { read: { method: 'GET', detail: false, handler: () => reading() } },
      }),
    },
  })
  const ask = async (path: string, init?: RequestInit) => {
    const response = await handler(new Request(`http://localhost/api/towns/${path}`, init))
    return { status: response.status, text: await response.text() }
  }
  return Object.assign(ask, {
    read: (fn: () => Promise<unknown>) => {
      reading = fn
      return ask('read/')
    },
  })
}
