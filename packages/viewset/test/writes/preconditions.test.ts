import { sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  defineMixin,
  findRecords,
  type Model,
  type ModelRecord,
  type ModelSerializer,
  NotFound,
  RestoreModelMixin,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    NumberedMixin: { config: object; methods: object }
  }
}

/** Compares `If-Match` with a column, without the setting `version`. */
const NumberedMixin = defineMixin('NumberedMixin', {
  guard: (_, { request }) => {
    const tag = request.headers['if-match']
    return tag === undefined ? undefined : { number: Number(tag) }
  },
  describes: () => ({}),
})

describeDialects('the preconditions of a request', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    text: c.text(20).notNull(),
    number: c.integer().notNull().default(1),
    ...c.SoftDeleteMixin(),
    ...c.VersionMixin(),
  })
  const serializer = BaseModelSerializer(notes, { fields: ['id', 'text'] })
  const config = { model: notes, serializer, permissionClasses: [AllowAny] } as const
  const ViewSet = BulkViewSet.add(RestoreModelMixin)
  /** Its hooks need the record, so each write locks it first. */
  class Watched extends ViewSet(config) {
    override async performUpdate(note: ModelRecord<typeof notes>, values: object) {
      return super.performUpdate(note, values)
    }

    override async getObject() {
      const [note] = await findRecords(notes, sql`${notes.id} = ${Number(this.request.params.id)}`)
      if (!note) throw new NotFound()
      return note
    }
  }
  const api = useApi(dialect, {
    tables: { notes },
    resources: {
      plain: ViewSet(config),
      watched: Watched,
      soft: ViewSet({ ...config, softDelete: true }),
      versioned: ViewSet({ ...config, version: 'version' }),
      numbered: ViewSet.add(NumberedMixin)(config),
    },
  })
  let id: number
  let tag: string
  beforeEach(async () => {
    const created = await api.post('/versioned/', { text: 'one' })
    id = created.data<{ id: number }>().id
    tag = String(created.headers.etag)
  })

  const METHODS = ['PUT', 'PATCH', 'DELETE'] as const
  const send = (name: string, method: (typeof METHODS)[number], headers: Record<string, string>) =>
    api.request(method, `/${name}/${id}/`, { ...(method !== 'DELETE' && { body: { text: 'two' } }), headers })
  const stored = async () => (await api.get('/plain/?page_size=100')).data<{ text: string }[]>().map(({ text }) => text)
  const DONE = { PUT: 200, PATCH: 200, DELETE: 204 }

  describe.each(['plain', 'watched', 'soft'])('of /%s/, which has no version,', name => {
    test.each(METHODS)('refuse a %s with a tag in If-Match: no record has it', async method => {
      const answer = await send(name, method, { 'if-match': '"1"' })
      const why = 'This resource has no versions, so no record has the tag in If-Match. Send the request without it.'
      expect([answer.status, answer.envelope().message]).toEqual([412, why])
      expect(await stored()).toEqual(['one'])
    })

    test.each(METHODS)('let a %s with If-Match: * change a record that exists', async method => {
      expect((await send(name, method, { 'if-match': '*' })).status).toBe(DONE[method])
    })

    test.each(METHODS)('refuse a %s whose If-Match is no tag', async method => {
      const answer = await send(name, method, { 'if-match': '"1' })
      expect([answer.status, Object.keys(answer.envelope().errors ?? {})]).toEqual([400, ['If-Match']])
    })

    test.each(METHODS)('let a %s with a tag in If-None-Match change the record', async method => {
      expect((await send(name, method, { 'if-none-match': tag })).status).toBe(DONE[method])
    })
  })

  describe.each(['plain', 'watched', 'soft', 'versioned'])('of /%s/', name => {
    test.each(METHODS)('refuse a %s with If-None-Match: * for a record that exists', async method => {
      const answer = await send(name, method, { 'if-none-match': '*' })
      expect([answer.status, answer.envelope().message]).toEqual([
        412,
        'The record is one that If-None-Match excludes.',
      ])
      expect(answer.headers.etag).toBe(name === 'versioned' ? tag : undefined)
      expect(await stored()).toEqual(['one'])
    })

    test.each(METHODS)('are asked of a %s after whether there is a record', async method => {
      id += 1
      expect((await send(name, method, { 'if-none-match': '*' })).status).toBe(404)
      expect((await send(name, method, { 'if-match': '"1"' })).status).toBe(404)
    })
  })

  describe('of a resource with a version', () => {
    test.each(METHODS)('refuse a %s with the tag of the record in If-None-Match', async method => {
      for (const sent of [tag, `W/${tag}`, `"x", ${tag}`]) {
        expect((await send('versioned', method, { 'if-none-match': sent })).status).toBe(412)
      }
      expect(await stored()).toEqual(['one'])
      expect((await send('versioned', method, { 'if-none-match': '"1"' })).status).toBe(DONE[method])
    })

    test('compare If-Match before If-None-Match', async () => {
      const { message } = (await send('versioned', 'PATCH', { 'if-match': '"1"', 'if-none-match': '*' })).envelope()
      expect(message).toMatch(/^Another user has changed this record/)
      const both = await send('versioned', 'PATCH', { 'if-match': tag, 'if-none-match': '"1"' })
      expect(both.status).toBe(200)
    })

    test('answer HEAD as GET, also with a 304', async () => {
      for (const sent of [tag, '*', `"1", ${tag}`]) {
        const answers = await Promise.all(
          (['GET', 'HEAD'] as const).map(method =>
            api.request(method, `/versioned/${id}/`, { headers: { 'if-none-match': sent } }),
          ),
        )
        const seen = answers.map(({ status, text, headers }) => [status, text, headers.etag])
        expect(seen).toEqual([
          [304, '', tag],
          [304, '', tag],
        ])
      }
      const head = await api.request('HEAD', `/versioned/${id}/`, { headers: { 'if-none-match': '"1"' } })
      expect([head.status, head.headers.etag]).toEqual([200, tag])
    })
  })

  test('are asked of a restore', async () => {
    await api.delete(`/soft/${id}/`)
    const restore = (headers: Record<string, string>) => api.post(`/soft/${id}/restore/`, undefined, { headers })
    expect((await restore({ 'if-match': '"1"' })).status).toBe(412)
    expect((await restore({ 'if-none-match': '*' })).status).toBe(412)
    expect((await restore({ 'if-match': '*' })).status).toBe(200)
  })

  test('are left to a mixin that guards records itself', async () => {
    expect((await send('numbered', 'PATCH', { 'if-match': '1' })).status).toBe(200)
    expect((await send('numbered', 'PATCH', { 'if-match': '2' })).status).toBe(412)
  })
})
