import fc from 'fast-check'
import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  importModel,
  insertMany,
  ManyDataToDataField,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { importForm } from '../support/multipart.ts'

/** Berlin sets its clocks back at 01:00Z: the local times from 02:00 to 03:00 occur twice. */
const FIRST_HALF_PAST_TWO = '2026-10-25T00:30:00.000000Z'
const SECOND_HALF_PAST_TWO = '2026-10-25T01:30:00.000000Z'

describeOneDialect('times in a workbook of an API that is not in UTC', dialect => {
  const c = dialect.kit
  const events = c.table('events', {
    id: c.integer().primaryKey(),
    name: c.text(20).notNull().unique(),
    at: c.timestamp(),
    ...c.TimeStampMixin(),
  })
  const steps = c.table('steps', {
    id: c.integer().primaryKey(),
    event: c.foreignKey(events).notNull(),
    at: c.timestamp().notNull(),
  })
  const api = useApi(dialect, {
    tables: { events, steps },
    settings: { COMMON: { TIME_ZONE: 'Europe/Berlin' } },
    resources: {
      events: BulkImportableViewSet({
        model: events,
        serializer: BaseModelSerializer(events, {
          fields: ['id', 'name', 'at', 'createdAt'],
          extra: {
            steps: ManyDataToDataField({
              queryset: steps,
              serializer: BaseModelSerializer(steps, { fields: ['id', 'at'] }),
            }),
          },
        }),
        permissionClasses: [AllowAny],
        ordering: 'id',
        exportFieldConfig: { name: 'name', at: 'at', createdAt: 'Created', steps: 'Steps' },
        importFileConfig: {
          fileFormat: ['xlsx', 'csv'],
          order: ['events'],
          models: {
            events: importModel({ model: events, fields: ['name', 'at'], uniqueFields: ['name'], skipUnchanged: true }),
          },
        },
      }),
    },
  })
  const store = (...times: (string | null)[]) =>
    api.database.transaction(() =>
      insertMany(
        events,
        times.map((at, number) => ({ name: `${number}`, at })),
      ),
    )
  const stored = async () =>
    (await api.get('/events/?paginated=false')).data<{ at: string | null }[]>().map(({ at }) => at)
  const exported = (body: object) => api.post('/events/export/', { file_type: 'xlsx', ...body })
  const send = async (file: Uint8Array, more: Record<string, string> = {}) => {
    const answer = await api.post(
      '/events/import-from-file/',
      undefined,
      importForm(file, { filename: 'a.xlsx', more }),
    )
    return answer.data<{ updated: number; failed: number }>()
  }
  const NAMES = ['name', 'at']
  const FORMS = [
    ['an export', { includes: NAMES }],
    ['an export of all columns', {}],
    ['a file for editing', { for_editing: true }],
  ] as const

  test.each(FORMS)('%s that is imported again changes nothing', async (_, body) => {
    const around = fc.integer({ min: -7200, max: 7200 }).map(seconds => {
      return `${new Date(Date.parse(SECOND_HALF_PAST_TWO) + seconds * 1000).toISOString().slice(0, 19)}.000000Z`
    })
    const any = fc
      .date({ min: new Date('1900-03-02'), max: new Date('9998-01-01'), noInvalidDate: true })
      .map(date => `${date.toISOString().slice(0, 23)}000Z`)
    const times = fc.array(fc.oneof(around, any, fc.constant(null)), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(times, async list => {
        await api.clear()
        await store(...list)
        expect(await send((await exported(body)).bytes)).toMatchObject({ updated: 0, failed: 0 })
        expect(await stored()).toEqual(list)
      }),
      { numRuns: cases(40) },
    )
  })

  test('an export has local times, also in lists and in rows of the client', async () => {
    await store('2026-07-01T10:00:00.000000Z')
    await api.database.transaction(() => insertMany(steps, [{ event: 1, at: '2026-01-01T23:30:00.000000Z' }]))
    const { sheets } = await readXlsx((await exported({ includes: ['at', 'steps'] })).bytes)
    expect(sheets[0]?.rows[1]?.[0]).toEqual(new Date('2026-07-01T12:00:00Z'))
    expect(sheets[1]?.rows[1]).toContainEqual(new Date('2026-01-02T00:30:00Z'))
    const data = [{ at: '2026-07-01T10:00:00Z' }, { at: '2026-07-01T10:00:00+03:00' }, { at: '2026-07-01T10:00:00' }]
    const own = await readXlsx((await exported({ includes: ['at'], data })).bytes)
    expect(own.sheets[0]?.rows.slice(1).map(([at]) => at)).toEqual(
      ['2026-07-01T12:00:00Z', '2026-07-01T09:00:00Z', '2026-07-01T10:00:00Z'].map(text => new Date(text)),
    )
  })

  test('an hour that occurs twice has its offset, so an edit in it keeps the half that was meant', async () => {
    await store(FIRST_HALF_PAST_TWO, SECOND_HALF_PAST_TWO)
    const edited = await editedWorkbook((await exported({ for_editing: true })).bytes, ([first, second]) => {
      const later = (row: EditableRow | undefined, at: EditableRow[string]) => ({ ...row, at })
      expect([first?.at, second?.at]).toEqual([new Date('2026-10-25T02:30:00Z'), SECOND_HALF_PAST_TWO])
      return [later(first, new Date('2026-10-25T02:31:00Z')), later(second, '2026-10-25T01:31:00Z')]
    })
    expect(await send(edited)).toMatchObject({ updated: 2, failed: 0 })
    expect(await stored()).toEqual(['2026-10-25T00:31:00.000000Z', '2026-10-25T01:31:00.000000Z'])
  })

  test('failed rows of a file for editing keep each time', async () => {
    await store(FIRST_HALF_PAST_TWO, SECOND_HALF_PAST_TWO, '2026-07-01T10:00:00.000000Z')
    const edited = await editedWorkbook((await exported({ for_editing: true })).bytes, rows =>
      rows.map(row => ({ ...row, name: 'much too long for a name' })),
    )
    const answer = await api.post(
      '/events/import-from-file/',
      undefined,
      importForm(edited, { filename: 'a.xlsx', more: { failed_rows: 'true' } }),
    )
    expect(answer.status).toBe(207)
    const mended = await editedWorkbook(answer.bytes, rows => rows.map((row, at) => ({ ...row, name: `new ${at}` })))
    expect(await send(mended)).toMatchObject({ updated: 3, failed: 0 })
    expect(await stored()).toEqual([FIRST_HALF_PAST_TWO, SECOND_HALF_PAST_TWO, '2026-07-01T10:00:00.000000Z'])
  })
})
