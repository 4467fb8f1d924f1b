import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord } from 'viewset'
import { describe, expect, test } from 'vitest'
import { type TestApi, useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'

const common = { permissionClasses: [AllowAny], settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } } } as const
const comparisons = ['exact', 'in', 'lt', 'gte', 'range'] as const
const ofDates = [...comparisons, 'year', 'month', 'day'] as const

/** The ids that a filter lets through. */
async function found(api: TestApi, query: string): Promise<readonly number[] | string> {
  const response = await api.get(`/things/?${query}`)
  return response.status === 200 ? response.data<{ id: number }[]>().map(({ id }) => id) : response.text
}

const ofTimestamps = (name: string): [string, number[]][] => [
  [`${name}=2026-01-31T23:30:00Z`, [1]],
  [`${name}__in=2026-01-31T23:30:00Z,2020-01-01`, [1]],
  [`${name}__lt=2026-01-01`, [2]],
  [`${name}__gte=2026-02-01`, [1]],
  [`${name}__range=2025-01-01,2025-12-31`, [2]],
  [`${name}__year=2026`, [1]],
  // As clocks in Berlin show it.
  [`${name}__month=2`, [1]],
  [`${name}__day=1`, [1]],
]

const first = new Date('2026-01-31T23:30:00Z')
const second = new Date('2025-06-15T12:00:00Z')

describe('pg: filters by the columns of a plain Drizzle table', () => {
  const mood = pg.pgEnum('userMood', ['happy', 'sad'])
  const things = pg.pgTable('things', {
    id: pg.serial().primaryKey(),
    mood: mood(),
    at: pg.timestamp({ withTimezone: true }),
    local: pg.timestamp(),
    made: pg.timestamp({ withTimezone: true }).default(sql`'2026-01-15T10:30:00.123456Z'`),
    day: pg.date({ mode: 'date' }),
    amount: pg.numeric({ precision: 10, scale: 2, mode: 'number' }),
    whole: pg.numeric({ mode: 'bigint' }),
    big: pg.bigint({ mode: 'number' }),
  })
  const api = useApi(pgDialect, {
    tables: { mood, things },
    settings: common.settings,
    resources: {
      things: BulkViewSet({
        model: things,
        serializer: BaseModelSerializer(things, { fields: ['id', 'made'] }),
        permissionClasses: common.permissionClasses,
        filterFields: {
          mood: ['exact', 'in', 'icontains'],
          at: ofDates,
          local: ofDates,
          made: ['exact'],
          day: ofDates,
          amount: comparisons,
          whole: comparisons,
          big: comparisons,
        },
      }),
    },
  })

  test.each([
    ...ofTimestamps('at'),
    ...ofTimestamps('local'),
    // Finer than the milliseconds that a record's Date has: as a client has read it.
    ['made=2026-01-15T10:30:00.123456Z', [1, 2]],
    ['day=2026-01-31', [1]],
    ['day__in=2026-01-31,2020-01-01', [1]],
    ['day__lt=2026-01-01', [2]],
    ['day__year=2026', [1]],
    ['day__day=31', [1]],
    ['mood=happy', [1]],
    ['mood__in=sad,happy', [1, 2]],
    ['mood__icontains=SA', [2]],
    ['amount=1.5', [1]],
    ['amount__in=1.50,7', [1]],
    ['amount__range=1,2', [1]],
    ['whole=12345678901234567890', [1]],
    ['whole__in=12345678901234567890', [1]],
    ['big__gte=6', [2]],
    ['big__in=5', [1]],
  ])('%s', async (query, expected) => {
    await api.database.transaction(async () => {
      const numbers = { amount: 1.5, whole: 12345678901234567890n, big: 5 }
      await createRecord(things, { mood: 'happy', at: first, local: first, day: first, ...numbers })
      await createRecord(things, { mood: 'sad', at: second, local: second, day: second, amount: 3, whole: 3n, big: 6 })
    })
    expect(await found(api, query)).toEqual(expected)
  })
})

describe('sqlite: filters by the columns of a plain Drizzle table', () => {
  const things = lite.sqliteTable('things', {
    id: lite.integer().primaryKey(),
    at: lite.integer({ mode: 'timestamp' }),
    exactly: lite.integer({ mode: 'timestamp_ms' }),
    amount: lite.numeric({ mode: 'number' }),
    whole: lite.numeric({ mode: 'bigint' }),
    flag: lite.integer({ mode: 'boolean' }),
  })
  const api = useApi(sqliteDialect, {
    tables: { things },
    settings: common.settings,
    resources: {
      things: BulkViewSet({
        model: things,
        serializer: BaseModelSerializer(things, { fields: ['id'] }),
        permissionClasses: common.permissionClasses,
        filterFields: { at: ofDates, exactly: ofDates, amount: comparisons, whole: comparisons, flag: ['exact', 'in'] },
      }),
    },
  })

  test.each([
    ...ofTimestamps('at'),
    ...ofTimestamps('exactly'),
    ['amount=1.5', [1]],
    ['amount__in=1.50,7', [1]],
    ['amount__range=1,2', [1]],
    ['whole=123456789012345', [1]],
    ['whole__in=123456789012345', [1]],
    ['flag=true', [1]],
    ['flag__in=false', [2]],
  ])('%s', async (query, expected) => {
    await api.database.transaction(async () => {
      await createRecord(things, { at: first, exactly: first, amount: 1.5, whole: 123456789012345n, flag: true })
      await createRecord(things, { at: second, exactly: second, amount: 3, whole: 3n, flag: false })
    })
    expect(await found(api, query)).toEqual(expected)
  })
})
