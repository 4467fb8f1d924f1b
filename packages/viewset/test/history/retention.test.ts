import { AllowAny, BaseModelSerializer, BaseViewSet, currentDb, eraseHistory, HistoryModelMixin } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { TownBase, townConfig } from '../support/undo-models.ts'
import { UndoWorld } from '../support/undo-world.ts'

describeDialects('the entries of a history', dialect => {
  const c = dialect.kit
  const column = () => ({ id: c.integer().primaryKey(), text: c.text(20).notNull() })
  const notes = c.table('notes', column())
  const bare = c.table('bare', column())
  const { notesHistory } = c.HistoryTable(notes)
  const api = useApi(dialect, {
    tables: { notes, bare, notesHistory },
    users: { ann: { id: 'ann' } },
    settings: { HISTORY: { RETENTION: 3_600_000 } },
    resources: {
      notes: BaseViewSet.add(HistoryModelMixin)({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses: [AllowAny],
      }),
    },
  })
  const entries = () => api.database.use(() => currentDb().select().from(notesHistory).orderBy(notesHistory.id))

  test('are removed after their time, those of a job all at once', async () => {
    const old = '2020-01-01T00:00:00.000000Z'
    const now = new Date().toISOString().replace('Z', '000Z')
    const [running, ended] = ['01a2192d-0d79-7000-9bb8-acaad4ff4b53', '01a2192d-0d79-7000-9bb8-acaad4ff4b54']
    await api.database.use(async () => {
      const entry = { action: 'update' as const, record: '9', before: {}, after: {} }
      await currentDb()
        .insert(notesHistory)
        .values([
          { ...entry, reason: 'old', at: old },
          { ...entry, reason: 'old, of a job that goes on', at: old, job: running },
          { ...entry, reason: 'new, of this job', at: now, job: running },
          { ...entry, reason: 'old, of an old job', at: old, job: ended },
        ])
    })
    const reason = { headers: { 'x-change-reason': 'mine' } }
    await api.post('/notes/', { text: 'a' }, reason)
    expect((await entries()).map(({ reason }) => reason)).toEqual([
      'old, of a job that goes on',
      'new, of this job',
      'mine',
    ])
  })

  test('can be emptied, and the fact of the change stays', async () => {
    const headers = { 'x-change-reason': 'Her wish' }
    await api.post('/notes/', { text: 'secret' }, { as: 'ann', headers })
    await api.patch('/notes/1/', { text: 'secret 2' }, { as: 'ann' })
    await api.post('/notes/', { text: 'another' }, { as: 'ann' })
    await api.database.use(() => eraseHistory(notes, [1]))
    const [first, second, other] = await entries()
    expect(first).toMatchObject({ action: 'create', user: 'ann', after: null, reason: null })
    expect(second).toMatchObject({ action: 'update', before: null, after: null })
    expect(other).toMatchObject({ after: { text: 'another' } })
    const { status, text } = await api.get('/notes/1/history/')
    expect(status).toBe(200)
    expect(text).not.toContain('secret')
    const why = 'Entries of this history were erased, so the state of that time is not known.'
    const { status: refused, text: answer } = await api.get('/notes/1/history/diff/?from=1&to=2')
    expect([refused, JSON.parse(answer).message]).toEqual([409, why])
    await expect(api.database.use(() => eraseHistory(bare, [1]))).rejects.toThrow('needs the history of "bare"')
  })
})

describeDialects('the undo of a job', dialect => {
  const settings = { HISTORY: { RETENTION: 3_600_000 } }
  const world = new UndoWorld(dialect, tables => ({ towns: TownBase(townConfig(tables)) }), { settings })

  test('says until when its history stays', async () => {
    const id = await world.imported(['NO,Norway,OSL,Oslo,700,,'])
    const [{ at } = { at: '' }] = await world.api.database.use(() =>
      currentDb().select().from(world.tables.townsHistory),
    )
    const until = new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '000Z')
    const { undo } = await world.job(id)
    expect(undo).toEqual({ possible: true, until: expect.stringMatching(/000Z$/), why: '' })
    expect(Date.parse(String(undo?.until))).toBeLessThanOrEqual(Date.parse(until))
    await world.undo(id)
    expect((await world.job(id)).undo).toMatchObject({ possible: false, until: null })
  })
})
