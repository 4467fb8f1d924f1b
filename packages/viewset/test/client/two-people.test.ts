import { AllowAny, BaseModelSerializer, BulkViewSet, createRecord, RestoreModelMixin } from 'viewset'
import { ClientError, etagOf } from 'viewset/client'
import { expect, test } from 'vitest'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { TownBase, townConfig, undoModels } from '../support/undo-models.ts'

describeOneDialect('a client with other clients beside it', dialect => {
  const c = dialect.kit
  const notes = c.table('notes', {
    id: c.integer().primaryKey(),
    text: c.text(50).notNull(),
    ...c.VersionMixin(),
    ...c.SoftDeleteMixin(),
  })
  const keys = c.IdempotencyTable()
  const towns = undoModels(c)
  const queue = new ManualQueue()
  const listening = useClient(dialect, {
    tables: { notes, ...keys, ...towns },
    users: { ann: { id: 'ann' } },
    settings: { JOBS: { ANONYMOUS: true } },
    idempotency: { table: keys.idempotencyKeys, anonymous: true },
    jobs: { tables: towns, queue, files: new MemoryJobFiles() },
    resources: {
      notes: BulkViewSet({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses: [AllowAny],
        version: 'version',
        appendEtags: true,
        idempotency: true,
      }),
      bin: BulkViewSet.add(RestoreModelMixin)({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses: [AllowAny],
        version: 'version',
        appendEtags: true,
        requireIfMatch: true,
        softDelete: true,
        deletedPermissionClasses: [AllowAny],
      }),
      towns: TownBase({ ...townConfig(towns), idempotency: true }),
    },
  })

  test('does not overwrite what somebody else has changed since', async () => {
    const { notes: ours } = listening.client()
    const { id } = await ours.create({ text: 'first' })
    const read = await ours.retrieve(id)
    await ours.partialUpdate(id, { text: 'theirs' }, { ifMatch: etagOf(read) })
    const refused = await ours.partialUpdate(id, { text: 'ours' }, { ifMatch: etagOf(read) }).catch(error => error)
    expect(refused).toBeInstanceOf(ClientError)
    expect(refused).toMatchObject({ status: 412, etag: expect.any(String) })
    const [item] = (await ours.list()).items
    expect(item).toMatchObject({ text: 'theirs', _etag: expect.any(String) })
    await ours.partialUpdate(id, { text: 'ours' }, { ifMatch: item?._etag })
    expect((await ours.retrieve(id)).text).toBe('ours')
  })

  test('restores a deleted record with the tag that the list of deleted ones shows', async () => {
    const { bin, notes: ours } = listening.client()
    const { id } = await bin.create({ text: 'first' })
    await bin.destroy(id, { ifMatch: '*' })
    const [deleted] = (await bin.list({ deleted: 'only' })).items
    expect(deleted).toMatchObject({ id, _etag: expect.any(String) })
    expect((await bin.restore(id, { ifMatch: deleted?._etag })).text).toBe('first')
    expect((await bin.list({ deleted: 'only' })).items).toEqual([])
    // @ts-expect-error This resource shows deleted records to no user.
    await expect(ours.list({ deleted: 'only' })).rejects.toThrow('deleted')
  })

  test('sends a request with a key again after a lost answer, and the API carries it out once', async () => {
    let sent = 0
    const losing = async (address: string, init: RequestInit) => {
      const response = await fetch(address, init)
      // The API has done it, and the answer is lost.
      if (++sent <= 2) throw new TypeError('fetch failed')
      return response
    }
    const { notes: ours } = listening.client({ fetch: losing })
    const made = await ours.create({ text: 'once' }, { idempotencyKey: true })
    expect(sent).toBe(3)
    expect((await listening.client().notes.list()).items).toMatchObject([{ id: made.id, text: 'once' }])
  })

  test('sends a request without a key once', async () => {
    let sent = 0
    const broken = async () => {
      sent++
      throw new TypeError('fetch failed')
    }
    const { notes: ours } = listening.client({ fetch: broken })
    await expect(ours.create({ text: 'once' })).rejects.toThrow('got no answer')
    expect(sent).toBe(1)
  })

  test('gives up after its retries', async () => {
    let sent = 0
    const broken = async () => {
      sent++
      throw new TypeError('fetch failed')
    }
    const { notes: ours } = listening.client({ fetch: broken, retries: 1 })
    await expect(ours.create({ text: 'never' }, { idempotencyKey: 'mine' })).rejects.toThrow('got no answer')
    expect(sent).toBe(2)
  })

  test('reads a history, compares and reverts', async () => {
    const { towns: ours } = listening.client()
    const country = await listening.api.database.use(() =>
      createRecord(towns.countries, { iso: 'NO', title: 'Norway' }),
    )
    const { id } = await ours.create({ code: 'OSL', name: 'Oslo', country: country.id })
    await ours.partialUpdate(id, { name: 'Kristiania' }, { headers: { 'x-change-reason': 'Its old name' } })
    const { items, count } = await ours.history(id, { page_size: 10 })
    expect(count).toBe(2)
    const [newest, oldest] = items
    expect(newest).toMatchObject({ reason: 'Its old name', before: { name: 'Oslo' }, after: { name: 'Kristiania' } })
    const entries = { from: oldest?.id ?? 0, to: newest?.id ?? 0 }
    const changes = [{ field: 'name', before: 'Oslo', after: 'Kristiania' }]
    expect(await ours.historyDiff(id, entries)).toEqual({ ...entries, changes })
    expect(await ours.retrieveAt(id, oldest?.at ?? '')).toMatchObject({ name: 'Oslo' })
    expect(await ours.revert(id, { entry: entries.from, fields: ['name'] })).toMatchObject({ name: 'Oslo' })
  })

  test('imports a file with a key once', async () => {
    const file = new File(['iso,title,code,name,people,labels\nNO,Norway,OSL,Oslo,700,\n'], 'towns.csv')
    const send = () => listening.client().towns.importFile(file, { append_data: true, idempotencyKey: 'a file' })
    const { job } = await send()
    expect((await send()).job).toBe(job)
  })

  test('undoes an import', async () => {
    const client = listening.client()
    const file = new File(['iso,title,code,name,people,labels\nNO,Norway,OSL,Oslo,700,\n'], 'towns.csv')
    const { job = '' } = await client.towns.importFile(file, { append_data: true })
    const { id } = await client.jobs.undo(job, { dry_run: true })
    await queue.run(id)
    expect((await client.jobs.retrieve(id)).result).toMatchObject({ reversed: 2, dry_run: true })
    const undo = await client.jobs.undo(job)
    await queue.run(undo.id)
    expect(await client.jobs.follow(undo.id)).toMatchObject({ state: 'succeeded', result: { reversed: 2 } })
    expect((await client.towns.list()).items).toEqual([])
  })
})
