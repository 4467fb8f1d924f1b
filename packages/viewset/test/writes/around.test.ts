import { AllowAny, ApiError, BaseModelSerializer, BulkViewSet, createRecord, Reply } from 'viewset'
import { describe, expect, test } from 'vitest'
import { IdempotencyMixin } from '../extensions/idempotency-mixin.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'

describeDialects('a mixin around requests', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', { id: c.integer().primaryKey(), text: c.text(20).notNull().unique() })
  const answers = c.table('answers', { key: c.text().primaryKey(), answer: c.text() })
  const config = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
    permissionClasses: [AllowAny],
    answers,
  } as const
  /** Answers of writes that cannot be sent, each behind a record that was stored. */
  const unsendable = {
    circle: () => {
      const circle: Record<string, unknown> = {}
      circle.again = circle
      return circle
    },
    header: () => new Reply({}, { headers: { 'x-name': 'Zoë\n' } }),
    status: () => new Reply({}, { status: 42 }),
    refusal: () => {
      throw new ApiError(400, 'refused', 'Not now.')
    },
  }
  const Notes = BulkViewSet.add(IdempotencyMixin)({
    ...config,
    actions: Object.fromEntries(
      Object.entries(unsendable).map(([name, answer]) => [
        name,
        {
          method: 'POST' as const,
          detail: false,
          handler: async () => {
            await createRecord(notes, { text: name })
            return answer()
          },
        },
      ]),
    ),
  })
  const api = useApi(dialect, { tables: { notes, answers }, resources: { notes: Notes } })
  const once = (key: string) => ({ headers: { 'idempotency-key': key } })
  const texts = async () => (await api.rows('notes')).map(row => row[1])

  describe.each(Object.keys(unsendable))('an answer that cannot be sent stores nothing: %s', action => {
    test.each([undefined, 'key'])('with the key %s', async key => {
      const answer = await api.post(`/notes/${action}/`, {}, key === undefined ? {} : once(key))
      expect([answer.status, await texts()]).toEqual([action === 'refusal' ? 400 : 500, []])
      expect(await api.rows('answers')).toEqual([])
    })
  })

  test('gets the answer as it is sent, and may send it again', async () => {
    allowUndescribed(/idempotency-replayed/i, 'the mixin of this test does not describe it')
    const first = await api.post('/notes/', { text: 'one' }, once('a'))
    const again = await api.post('/notes/', { text: 'one' }, once('a'))
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect([first.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expect(await texts()).toEqual(['one'])
  })

  test('an error stores nothing, so that the same key may be sent with a corrected body', async () => {
    expect((await api.post('/notes/', { text: null }, once('a'))).status).toBe(400)
    expect((await api.post('/notes/', { text: 'one' }, once('a'))).status).toBe(201)
  })

  test('many requests with one key at once store one record and get one answer', async () => {
    const sent = Array.from({ length: 6 }, () =>
      api.post('/notes/bulk-create/', [{ text: 'x' }, { text: 'y' }], once('a')),
    )
    const texts = new Set((await Promise.all(sent)).map(answer => `${answer.status} ${answer.text}`))
    expect(texts.size).toBe(1)
    expect(await api.rows('notes')).toHaveLength(2)
  })

  test('a request that does not need it stays one statement', async () => {
    const sent = await api.statementsOf(() => api.post('/notes/', { text: 'one' }))
    expect(sent).toHaveLength(1)
  })
})
