import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  BulkViewSet,
  findRecords,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { executeWrite } from '../../src/store/write/execute-write.ts'
import { type TestApi, type TestResponse, useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

const CHANGED = 'Another user has changed this record since you read it. Read it again, then repeat your change.'

type Asked = Pick<TestApi, 'post' | 'put' | 'patch' | 'delete'>
type Write = (api: Asked, path: string, version: number | undefined) => Promise<TestResponse>

const one = uuid(1)
const ifMatch = (version: number | undefined) =>
  version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }
const item = (version: number | undefined) => ({ id: one, ...(version !== undefined && { _etag: `"${version}"` }) })

/** Each way to change a stored record, and whether it names many. */
const WAYS: readonly (readonly [label: string, isOfMany: boolean, write: Write])[] = [
  ['a PUT', false, (api, path, v) => api.put(`${path}${one}/`, { code: 'a', text: 'new' }, ifMatch(v))],
  ['a PATCH', false, (api, path, v) => api.patch(`${path}${one}/`, { text: 'new' }, ifMatch(v))],
  ['a DELETE', false, (api, path, v) => api.delete(`${path}${one}/`, ifMatch(v))],
  ['a custom action', false, (api, path, v) => api.post(`${path}${one}/publish/`, {}, ifMatch(v))],
  ['a bulk PUT', true, (api, path, v) => api.put(`${path}bulk-update/`, [{ ...item(v), code: 'a', text: 'new' }])],
  ['a bulk PATCH', true, (api, path, v) => api.patch(`${path}bulk-update/`, [{ ...item(v), text: 'new' }])],
  ['a bulk upsert', true, (api, path, v) => api.post(`${path}bulk-upsert/`, [{ ...item(v), code: 'a', text: 'new' }])],
  ['a bulk delete', true, (api, path, v) => api.post(`${path}bulk-delete/`, [item(v)])],
  ['a bulk soft delete', true, (api, path, v) => api.post(`${path}bulk-soft-delete/`, [item(v)])],
  ['a bulk restore', true, (api, path, v) => api.post(`${path}bulk-restore/`, [item(v)])],
]

describeDialects('versions', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.uuid().primaryKey().$defaultFn(randomUUID),
    code: c.text(20).notNull().unique(),
    text: c.text(20).notNull(),
    ...c.VersionMixin(),
    ...c.SoftDeleteMixin(),
  })
  const config = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'code', 'text'] }),
    permissionClasses: [AllowAny],
    upsertFields: ['code'],
    version: 'version',
  } as const
  const VersionViewSet = BulkViewSet.add(BulkUpsertModelMixin, BulkRestoreModelMixin)
  const actions = {
    publish: {
      method: 'POST',
      detail: true,
      handler: async (view: { getObject(): Promise<{ text: string; save(): Promise<unknown> }> }) => {
        const note = await view.getObject()
        note.text = 'new'
        return note.save()
      },
    },
  } as const
  class Plain extends VersionViewSet({ ...config, actions }) {}
  class Watched extends VersionViewSet({ ...config, actions }) {
    override finalize(...given: Parameters<InstanceType<typeof Plain>['finalize']>) {
      return super.finalize(...given)
    }
  }
  class Finds extends VersionViewSet({ ...config, actions }) {
    override async getObject() {
      const [note] = await findRecords(notes, sql`${notes.id} = ${this.request.params.id}`)
      return note as NonNullable<typeof note>
    }
  }
  class Strict extends VersionViewSet({ ...config, requireIfMatch: true, actions }) {}
  const api = useApi(dialect, {
    tables: { notes },
    openapi: true,
    resources: { plain: Plain, watched: Watched, finds: Finds, strict: Strict },
  })
  const model = modelInfo(notes)
  beforeEach(async () => {
    const rows = [1, 2].map(n => ({ id: uuid(n), code: n === 1 ? 'a' : 'b', text: 'old', version: BigInt(n + 4) }))
    await executeWrite(api.database, { kind: 'insert', model, rows })
  })
  const stored = async () => (await api.rows('notes')).map(row => row.map(String).join()).toSorted()

  describe.each(['plain', 'watched', 'finds'])('/%s/', resource => {
    const path = `/${resource}/`

    test.each(WAYS)('%s with the current tag writes', async (label, _isOfMany, write) => {
      const answer = await write(api, path, 5)
      expect([answer.status, answer.text]).toEqual([label === 'a DELETE' ? 204 : 200, answer.text])
    })

    test.each(WAYS)('%s with another tag is 412 and stores nothing', async (_, isOfMany, write) => {
      const before = await stored()
      const answer = await write(api, path, 4)
      expect([answer.status, answer.text]).toEqual([412, answer.text])
      expect(answer.envelope().message).toBe(CHANGED)
      expect(answer.envelope().errors).toEqual(isOfMany ? { '0.non_field_errors': [CHANGED] } : undefined)
      expect(answer.headers.etag).toBe(isOfMany ? undefined : '"5"')
      expect(await stored()).toEqual(before)
    })

    test.each(WAYS)('%s without a tag writes', async (label, _isOfMany, write) => {
      expect((await write(api, path, undefined)).status).toBe(label === 'a DELETE' ? 204 : 200)
    })
  })

  test.each(WAYS)('%s without a tag is 428 if the resource requires one', async (label, isOfMany, write) => {
    const before = await stored()
    const answer = await write(api, '/strict/', undefined)
    if (label === 'a custom action') return expect(answer.status).toBe(200)
    expect([answer.status, answer.text]).toEqual([428, answer.text])
    expect(answer.envelope().errors).toEqual(
      isOfMany ? { '0.non_field_errors': [expect.stringContaining('"_etag"')] } : undefined,
    )
    expect(await stored()).toEqual(before)
  })

  test.each(['plain', 'watched'])(
    '/%s/ sends the tag of the record with each answer that shows one',
    async resource => {
      const path = `/${resource}/`
      expect((await api.get(`${path}${one}/`)).headers.etag).toBe('"5"')
      expect((await api.patch(`${path}${one}/`, { text: 'new' })).headers.etag).toBe('"6"')
      expect((await api.post(`${path}${one}/publish/`, {})).headers.etag).toBe('"7"')
      const created = await api.post(path, { code: 'c', text: 'x' })
      expect([created.status, created.headers.etag]).toEqual([201, expect.stringMatching(/^"\d{13}"$/)])
      expect((await api.get(path)).headers.etag).toBeUndefined()
    },
  )

  test('one of several tags is enough, and `*` is each', async () => {
    for (const tags of ['"1", "5"', '*']) {
      const answer = await api.patch(`/plain/${one}/`, { text: 'old' }, { headers: { 'if-match': tags } })
      expect(answer.status).toBe(200)
    }
    const stale = await api.patch(`/plain/${one}/`, { text: 'new' }, { headers: { 'if-match': '"1", "2"' } })
    expect([stale.status, stale.headers.etag]).toEqual([412, '"7"'])
  })

  test.each(['plain', 'watched', 'finds'])(
    '/%s/ names a tag in the form of no version, since no user has changed the record',
    async resource => {
      const before = await stored()
      const text = 'No version of this record has the ETag "garbage". Send the ETag of the record as you received it.'
      const headers = { 'if-match': 'garbage' }
      const answer = await api.patch(`/${resource}/${one}/`, { text: 'new' }, { headers })
      expect([answer.status, answer.envelope().message, answer.headers.etag]).toEqual([412, text, '"5"'])
      const inBody = await api.patch(`/${resource}/${one}/`, { text: 'new', _etag: 'garbage' })
      expect([inBody.status, inBody.envelope().message]).toEqual([412, text])
      const many = await api.patch(`/${resource}/bulk-update/`, [{ id: one, _etag: 'garbage', text: 'new' }])
      expect([many.status, many.envelope()]).toMatchObject([
        412,
        { message: text, errors: { '0.non_field_errors': [text] } },
      ])
      expect(await stored()).toEqual(before)
    },
  )

  test('a record outside of the resource is 404, with the current tag and with another', async () => {
    for (const version of [4, 5]) {
      const answer = await api.patch(`/plain/${uuid(9)}/`, { text: 'new' }, ifMatch(version))
      expect(answer.status).toBe(404)
    }
  })

  test('a stale tag is reported before faults of fields', async () => {
    expect((await api.patch(`/plain/${one}/`, { text: null }, ifMatch(4))).status).toBe(412)
    expect((await api.patch('/plain/bulk-update/', [{ ...item(4), text: null }])).status).toBe(412)
  })

  test('of a bulk request, each stale item is reported and none is written', async () => {
    const before = await stored()
    const items = [
      { id: uuid(1), _etag: '"5"', text: 'new' },
      { id: uuid(2), _etag: '"5"', text: 'new' },
    ]
    for (const resource of ['plain', 'watched']) {
      const answer = await api.patch(`/${resource}/bulk-update/`, items)
      expect([answer.status, answer.envelope().errors]).toEqual([412, { '1.non_field_errors': [CHANGED] }])
    }
    expect(await stored()).toEqual(before)
  })

  test.each(['plain', 'watched'])(
    '/%s/: a bulk update with the tag of a record that is gone is 412, without a tag 400',
    async resource => {
      await api.delete(`/plain/${uuid(2)}/`)
      const before = await stored()
      const change = (...items: readonly object[]) => [
        api.put(`/${resource}/bulk-update/`, items),
        api.patch(`/${resource}/bulk-update/`, items),
      ]
      const values = { code: 'b', text: 'new' }
      const kept = { ...item(5), code: 'a', text: 'new' }
      for (const sent of change(kept, { id: uuid(2), _etag: '"6"', ...values })) {
        const answer = await sent
        expect([answer.status, answer.envelope().errors]).toEqual([412, { '1.non_field_errors': [CHANGED] }])
      }
      for (const sent of change(kept, { id: uuid(2), ...values })) {
        const answer = await sent
        expect([answer.status, answer.envelope().errors]).toEqual([400, { '1.id': [expect.any(String)] }])
      }
      expect(await stored()).toEqual(before)
    },
  )

  test('an upsert whose tag finds no record is 412', async () => {
    const answer = await api.post('/plain/bulk-upsert/', [{ code: 'new', text: 'new', _etag: '"1"' }])
    expect(answer.status).toBe(412)
    expect(await stored()).toHaveLength(2)
  })

  test('a guarded write is one statement', async () => {
    const writes = [
      () => api.patch(`/plain/${one}/`, { text: 'new' }, ifMatch(5)),
      () => api.patch('/plain/bulk-update/', [{ ...item(6), text: 'newer' }]),
      () => api.post('/plain/bulk-delete/', [item(7), { id: uuid(2), _etag: '"6"' }]),
    ]
    for (const write of writes) {
      const sent = await api.statementsOf(async () => expect((await write()).status).toBe(200))
      expect(sent).toHaveLength(1)
    }
    expect(await stored()).toEqual([])
  })

  test('no operation that the document says a tag may refuse is left out here', async () => {
    const asked: string[] = []
    const note = (method: string) => async (path: string) => {
      asked.push(`${method} ${path.replace(one, '{id}')}`)
      return undefined as never
    }
    const recorder = { post: note('post'), put: note('put'), patch: note('patch'), delete: note('delete') }
    for (const [, , write] of WAYS) await write(recorder, '/plain/', 5)
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const guarded = Object.keys(paths).flatMap(path =>
      Object.entries<{ responses: object }>(paths[path]).flatMap(([method, { responses }]) =>
        path.startsWith('/plain/') && '412' in responses ? [`${method} ${path}`] : [],
      ),
    )
    // Proxies that drop the body of a DELETE have a second way to the same action.
    expect(guarded.filter(operation => !/^delete .*bulk/.test(operation)).toSorted()).toEqual(asked.toSorted())
  })

  test('the document describes the tag, the header that asks for it and the refusals', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const patch = paths['/plain/{id}/'].patch
    expect(patch.parameters).toContainEqual(expect.objectContaining({ name: 'If-Match', in: 'header' }))
    expect(Object.keys(patch.responses)).toContain('412')
    expect(Object.keys(paths['/strict/{id}/'].patch.responses)).toEqual(expect.arrayContaining(['412', '428']))
    expect(patch.responses[200].headers).toHaveProperty('ETag')
    expect(paths['/plain/{id}/'].get.responses[200].headers).toHaveProperty('ETag')
    expect(paths['/plain/'].get.responses[200].headers).not.toHaveProperty('ETag')
    expect(Object.keys(paths['/plain/bulk-update/'].patch.responses)).toContain('412')
  })

  test('an item of a bulk delete is a key, or an object with a key and a tag', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text)
    const { items } = paths['/plain/bulk-delete/'].post.requestBody.content['application/json'].schema
    const [key, { allOf }] = items.oneOf
    expect(key).toMatchObject({ type: 'string', format: 'uuid' })
    expect(allOf.map(({ properties }: { properties: object }) => Object.keys(properties))).toEqual([['id'], ['_etag']])
  })

  test('of two writers with the same tag, one gets 412', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(text => api.patch(`/plain/${one}/`, { text }, ifMatch(5))),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412])
  })
})
