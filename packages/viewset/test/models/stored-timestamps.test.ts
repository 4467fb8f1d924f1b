import { AllowAny, BaseModelSerializer, BaseViewSet, createRecord, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('timestamps that code stores in another form', dialect => {
  const { kit } = dialect
  const events = kit.table('events', {
    id: kit.integer().primaryKey(),
    at: kit.timestamp().notNull(),
  })
  const api = useApi(dialect, {
    tables: { events },
    resources: {
      events: BaseViewSet({
        model: events,
        serializer: BaseModelSerializer(events, { fields: ['id', 'at'] }),
        permissionClasses: [AllowAny],
        filterFields: { at: ['exact', 'lt', 'gte'] },
        ordering: 'at',
      }),
    },
  })

  test('are filtered and ordered as times', async () => {
    await api.database.transaction(async () => {
      const last = await createRecord(events, { id: 4, at: '2026-01-15T09:00:00.5Z' })
      await createRecord(events, { id: 1, at: '2026-01-15T10:30:00Z' })
      await insertMany(events, [
        { id: 2, at: '2026-01-15T12:29:00+02:00' },
        { id: 3, at: '2026-01-15 10:31:00Z' },
      ])
      last.at = '2026-01-15T10:32Z'
      await last.save()
    })
    const ids = async (query: string) =>
      (await api.get(`/events/?${query}`)).data<{ readonly id: number }[]>().map(({ id }) => id)
    expect(await ids('')).toEqual([2, 1, 3, 4])
    expect(await ids('at=2026-01-15T10:30:00Z')).toEqual([1])
    expect(await ids('at__lt=2026-01-15T10:30:00Z')).toEqual([2])
    expect(await ids('at__gte=2026-01-15T10:30:00Z')).toEqual([1, 3, 4])
  })
})
