import { randomUUID } from 'node:crypto'
import { AllowAny, BaseModelSerializer, importModel, type SerializerInput } from 'viewset'
import { beforeEach, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { capturedLog } from '../support/captured-log.ts'
import { describeDialects } from '../support/dialects.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { importForm } from '../support/multipart.ts'

describeDialects('a hook that gives a required column no value', dialect => {
  const c = dialect.kit
  const parcels = c.table('parcels', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    ...c.SoftDeleteMixin(),
    code: c.text(20).notNull().unique(),
    depot: c.text(20).notNull(),
  })
  const serializer = BaseModelSerializer(parcels, { fields: ['id', 'code'] })
  type Values = SerializerInput<typeof serializer>
  const config = {
    model: parcels,
    serializer,
    permissionClasses: [AllowAny],
    upsertFields: ['code'],
    importFileConfig: {
      fileFormat: 'csv',
      order: ['parcels'],
      models: { parcels: importModel({ model: parcels, fields: ['code', 'depot'], uniqueFields: ['code'] }) },
    },
  } as const

  class Forgetful extends FullViewSet(config) {
    override async performCreate({ code = '' }: Values) {
      return super.performCreate({ code })
    }
  }
  const log = capturedLog()
  const api = useApi(dialect, {
    tables: { parcels },
    resources: { forgetful: Forgetful },
    server: log.server,
  })
  beforeEach(() => void log.lines.splice(0))

  test.each([
    ['a create', () => api.post('/forgetful/', { code: 'A' })],
    ['a bulk create', () => api.post('/forgetful/bulk-create/', [{ code: 'A' }, { code: 'B' }])],
    ['an upsert', () => api.post('/forgetful/bulk-upsert/', [{ code: 'A' }])],
    ['an import', () => api.request('POST', '/forgetful/import-from-file/', importForm('code,depot\nA,x\nB,x\n'))],
  ])('%s is an error of the server, with an id in its log', async (_, ask) => {
    const response = await ask()
    expect(response.status).toBe(500)
    expect(response.headers['x-error-id']).toBeTypeOf('string')
    expect(log.lines).toEqual([expect.objectContaining({ errorId: response.headers['x-error-id'] })])
    expect(response.text).not.toContain('depot')
    expect(JSON.stringify(log.lines)).toContain('depot')
    expect((await api.get('/forgetful/')).data()).toEqual([])
  })
})
