import { integer, pgTable, serial, varchar } from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { AllowAny, BaseModelSerializer, BulkViewSet, HistoryModelMixin } from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit as sqliteKit } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { pgDialect, sqliteDialect } from '../support/dialects.ts'

const config = { permissionClasses: [AllowAny], historyOfDeleted: true } as const
const FIELDS = ['id', 'text', 'size'] as const

describe('the history of a plain Drizzle table', () => {
  const pgNotes = pgTable('notes', {
    id: serial().primaryKey(),
    text: varchar({ length: 20 }).notNull(),
    size: integer(),
  })
  const liteNotes = lite.sqliteTable('notes', {
    id: lite.integer().primaryKey({ autoIncrement: true }),
    text: lite.text({ length: 20 }).notNull(),
    size: lite.integer(),
  })
  const onPg = useApi(pgDialect, {
    tables: { pgNotes, ...pgKit.HistoryTable(pgNotes, { ignore: ['size'] }) },
    resources: {
      notes: BulkViewSet.add(HistoryModelMixin)({
        ...config,
        model: pgNotes,
        serializer: BaseModelSerializer(pgNotes, { fields: FIELDS }),
      }),
    },
  })
  const onSqlite = useApi(sqliteDialect, {
    tables: { liteNotes, ...sqliteKit.HistoryTable(liteNotes, { ignore: ['size'] }) },
    resources: {
      notes: BulkViewSet.add(HistoryModelMixin)({
        ...config,
        model: liteNotes,
        serializer: BaseModelSerializer(liteNotes, { fields: FIELDS }),
      }),
    },
  })

  test.each([
    ['pg', onPg],
    ['sqlite', onSqlite],
  ])('has an entry for each change: %s', async (_, api) => {
    const { id } = (await api.post('/notes/', { text: 'a' })).data<{ id: number }>()
    await api.patch(`/notes/${id}/`, { size: 1 })
    await api.patch(`/notes/${id}/`, { text: 'b' })
    await api.post('/notes/bulk-delete/', [id])
    const history = (await api.get(`/notes/${id}/history/`)).data<{ action: string; after: object | null }[]>()
    expect(history.map(({ action, after }) => [action, after])).toEqual([
      ['delete', null],
      ['update', { text: 'b' }],
      ['create', { id, text: 'a' }],
    ])
  })

  test('needs numbers that SQLite does not give again', () => {
    const reusing = lite.sqliteTable('reusing', { id: lite.integer().primaryKey(), text: lite.text({ length: 20 }) })
    sqliteKit.HistoryTable(reusing)
    const serializer = BaseModelSerializer(reusing, { fields: ['id', 'text'] })
    expect(() => BulkViewSet.add(HistoryModelMixin)({ ...config, model: reusing, serializer })).toThrow(
      'HistoryTable(reusing): model: "id" may be given again after a delete; make it .primaryKey({ autoIncrement: true })',
    )
  })
})
