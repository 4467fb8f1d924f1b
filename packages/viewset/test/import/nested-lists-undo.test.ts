import { eq } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  currentDb,
  HistoryModelMixin,
  importModel,
  insertMany,
  ManyDataToDataField,
  scoped,
  type User,
} from 'viewset'
import { expect, test } from 'vitest'
import type { ImportData } from '../../src/viewset/files/import-reply.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { csv } from '../support/imports.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

/** Albums of a team with their tracks, and these with their takes. All have a history. */
function music(c: ColumnKit) {
  const id = () => c.integer().primaryKey()
  const albums = c.table('albums', {
    id: id(),
    title: c.text(30).notNull().unique(),
    team: c.text(10).notNull().default('red'),
  })
  const tracks = c.table('tracks', {
    id: id(),
    album: c.foreignKey(albums, { onDelete: 'cascade' }).notNull(),
    name: c.text(30).notNull(),
    price: c.integer(),
    secret: c.text(20),
    isLive: c.boolean().notNull().default(false),
  })
  const takes = c.table('takes', {
    id: id(),
    track: c.foreignKey(tracks, { onDelete: 'cascade' }).notNull(),
    label: c.text(10).notNull(),
    cost: c.integer(),
  })
  /** They stay without an album. */
  const covers = c.table('covers', {
    id: id(),
    album: c.foreignKey(albums, { onDelete: 'set null' }),
    name: c.text(30).notNull(),
  })
  const moods = c.table('moods', { id: id(), label: c.text(10).notNull().unique() })
  const links = () => ({
    id: id(),
    cover: c.foreignKey(covers, { onDelete: 'cascade' }).notNull(),
    mood: c.foreignKey(moods, { onDelete: 'cascade' }).notNull(),
  })
  const histories = {
    ...c.HistoryTable(albums),
    ...c.HistoryTable(tracks, { parent: 'album' }),
    ...c.HistoryTable(takes, { parent: 'track' }),
    ...c.HistoryTable(covers, { parent: 'album' }),
    ...c.HistoryTable(moods),
  }
  const joined = { coverMoods: c.table('cover_moods', links()), coverNotes: c.table('cover_notes', links()) }
  return { albums, tracks, takes, covers, moods, ...joined, ...histories, ...c.JobTables() }
}

describeDialects('the undo of an import of lists', dialect => {
  const tables = music(dialect.kit)
  const { albums, tracks, takes, covers, moods, coverMoods, coverNotes } = tables
  const isBoss = (user: User | null) => user?.roles?.includes('boss') ?? false
  const teamOf = (user: User | null) => (user?.roles?.includes('blue') ? 'blue' : 'red')
  const Take = BaseModelSerializer(takes, {
    fields: ['id', 'label', 'cost'],
    writableBy: { cost: isBoss },
  })
  const Mood = BaseModelSerializer(moods, { fields: ['id', 'label'] })
  const Track = BaseModelSerializer(tracks, {
    fields: ['id', 'name', 'price', 'secret'],
    writableBy: { price: isBoss },
    readableBy: { secret: isBoss },
    extra: {
      takes: ManyDataToDataField({ queryset: takes, serializer: Take, ordering: 'id' }),
    },
  })
  const Cover = BaseModelSerializer(covers, {
    fields: ['id', 'name'],
    writableBy: { moods: isBoss },
    readableBy: { notes: isBoss },
    extra: {
      moods: ManyDataToDataField({ queryset: moods, serializer: Mood, through: coverMoods }),
      notes: ManyDataToDataField({ queryset: moods, serializer: Mood, through: coverNotes }),
    },
  })
  const ofTracks = ManyDataToDataField({ queryset: tracks, serializer: Track, ordering: 'id' })
  const Album = BaseModelSerializer(albums, {
    fields: ['id', 'title'],
    extra: {
      tracks: ofTracks,
      covers: ManyDataToDataField({ queryset: covers, serializer: Cover, ordering: 'id' }),
    },
  })
  const rowsWith = (...lists: readonly string[]) => ({
    fileFormat: ['csv'] as const,
    order: ['albums'] as const,
    models: { albums: importModel({ model: albums, fields: ['title'], lists, uniqueFields: ['title'] }) },
  })
  /** The tracks that a list of the resource "live" has. */
  const shown = { live: false }
  const Base = BulkImportableViewSet.add(HistoryModelMixin)
  const config = {
    model: albums,
    serializer: Album,
    permissionClasses: [AllowAny],
    importFileConfig: rowsWith('tracks'),
  } as const
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users: {
      boss: { id: 'ann', roles: ['boss'] },
      clerk: { id: 'ann' },
      other: { id: 'ben' },
      blue: { id: 'ann', roles: ['boss', 'blue'] },
    },
    resources: {
      albums: Base(config),
      team: Base({ ...config, queryset: ({ user }) => eq(albums.team, teamOf(user)) }),
      live: Base({
        ...config,
        serializer: BaseModelSerializer(albums, {
          name: 'Live',
          fields: ['id', 'title'],
          extra: {
            tracks: ManyDataToDataField({
              queryset: scoped(tracks, () => eq(tracks.isLive, shown.live)),
              serializer: Track,
              ordering: 'id',
            }),
          },
        }),
      }),
      limited: Base({
        ...config,
        serializer: BaseModelSerializer(albums, {
          name: 'Limited',
          fields: ['id', 'title'],
          extra: { tracks: ofTracks },
          writableBy: { tracks: isBoss },
        }),
      }),
      unseen: Base({
        ...config,
        serializer: BaseModelSerializer(albums, {
          name: 'Unseen',
          fields: ['id', 'title'],
          extra: { tracks: ofTracks },
          readableBy: { tracks: isBoss },
        }),
      }),
      guarded: Base({
        ...config,
        permissionClasses: [
          {
            hasPermission: () => true,
            hasObjectPermission: ({ action }: { action: string }, { title }: { title: string }) =>
              action !== 'undo' || title !== 'B',
          },
        ],
      }),
      both: Base({ ...config, importFileConfig: rowsWith('tracks', 'covers') }),
    },
    jobs: {
      tables,
      files: new MemoryJobFiles(),
      queue,
      adminPermissionClasses: [view => view.user?.id === 'ben'],
    },
  })
  type Row = readonly [title: string, ...lists: readonly (readonly object[])[]]
  const imported = async (
    resource: string,
    rows: readonly Row[],
    { append = true, lists = ['tracks'], as = 'boss' } = {},
  ): Promise<string> => {
    const cells = rows.map(([title, ...own]) => [title, ...own.map(list => JSON.stringify(list))])
    const request = { ...importForm(csv(['title', ...lists], ...cells), { append }), as }
    const response = await api.request('POST', `/${resource}/import-from-file/`, request)
    expect(response.data<ImportData>(), response.text).toMatchObject({ failed: 0 })
    return response.data<{ job: string }>().job
  }
  const undo = async (job: string, as = 'boss') => {
    const accepted = await api.post(`/jobs/${job}/undo/`, undefined, { as })
    expect(accepted.status, accepted.text).toBe(202)
    const { id } = accepted.data<JobData>()
    await queue.run(id)
    return (await api.get(`/jobs/${id}/`, { as })).data<JobData>()
  }
  const rowsOf = async (...names: readonly string[]) =>
    Promise.all(names.map(async name => (await api.rows(name)).toSorted()))
  const everything = () => rowsOf('albums', 'tracks', 'takes', 'covers')
  const moveTeam = (id: number) =>
    api.database.use(() => currentDb().update(albums).set({ team: 'blue' }).where(eq(albums.id, id)))
  const counts = { reversed: 0, partly: 0, kept: 0, failed: 0, out_of_reach: 0 }

  test('leaves children alone whose owner is out of reach, and counts them', async () => {
    await imported('team', [['A', [{ name: 'a' }, { name: 'b' }]]])
    const job = await imported('team', [['A', [{ id: 2, name: 'b2' }, { name: 'new' }]]])
    await moveTeam(1)
    const before = await everything()
    const { result } = await undo(job)
    expect(result).toMatchObject({ ...counts, out_of_reach: 3, rows: [] })
    expect(await everything()).toEqual(before)
    expect((await undo(job, 'blue')).result).toMatchObject({ ...counts, reversed: 3 })
  })

  test('leaves a child alone that has moved to an owner out of reach', async () => {
    await imported('team', [['A', [{ name: 'a' }]]])
    const job = await imported('team', [['A', [{ id: 1, name: 'a2' }, { name: 'new' }]]])
    await api.database.use(async () => {
      await insertMany(albums, [{ title: 'Blue', team: 'blue' }])
      await currentDb().update(tracks).set({ album: 2 })
    })
    const before = await everything()
    expect((await undo(job)).result).toMatchObject({ ...counts, out_of_reach: 2, rows: [] })
    expect(await everything()).toEqual(before)
  })

  test('names a child that was deleted since, unless its owner is out of reach', async () => {
    await imported('team', [['A', [{ name: 'a' }]]])
    const job = await imported('team', [['A', [{ id: 1, name: 'a2' }]]])
    const { status } = await api.put('/albums/1/', { title: 'A', tracks: [], covers: [] }, { as: 'boss' })
    expect(status).toBe(200)
    const { result } = await undo(job)
    expect(result).toMatchObject({ ...counts, kept: 1, rows: [{ model: 'tracks', record: '1' }] })
    await moveTeam(1)
    expect((await undo(job)).result).toMatchObject({ ...counts, out_of_reach: 1, rows: [] })
  })

  test('leaves children of children alone whose owner is out of reach', async () => {
    await imported('team', [['A', [{ name: 'a', takes: [{ label: '1' }, { label: '2' }] }]]])
    const changed = [{ id: 1, name: 'a', takes: [{ id: 2, label: 'x' }, { label: 'new' }] }]
    const job = await imported('team', [['A', changed]])
    await moveTeam(1)
    const before = await everything()
    expect((await undo(job)).result).toMatchObject({ ...counts, out_of_reach: 3, rows: [] })
    expect(await everything()).toEqual(before)
  })

  test('leaves children alone that are outside of the scope of their list', async () => {
    await imported('live', [['A', [{ name: 'a' }, { name: 'b' }]]])
    const changed = [
      { id: 1, name: 'a2' },
      { id: 2, name: 'b2' },
    ]
    const job = await imported('live', [['A', changed]])
    await api.database.use(() => currentDb().update(tracks).set({ isLive: true }).where(eq(tracks.id, 2)))
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 1, out_of_reach: 1 })
    expect((await api.rows('tracks')).map(row => row.includes('a') || row.includes('b2'))).toEqual([true, true])
  })

  test('does not bring children back that would be outside of the scope of their list', async () => {
    await imported('live', [['A', [{ name: 'a' }, { name: 'b' }]]])
    const job = await imported('live', [['A', [{ id: 1, name: 'a' }]]])
    shown.live = true
    try {
      expect((await undo(job)).result).toMatchObject({ ...counts, out_of_reach: 1, rows: [] })
    } finally {
      shown.live = false
    }
    expect(await api.rows('tracks')).toHaveLength(1)
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 1 })
  })

  test('counts children whose owner does not come back for this user', async () => {
    await imported('team', [['A', [{ name: 'a', takes: [{ label: '1' }] }]]])
    // SQLite gives the highest identifier again.
    await api.database.use(() => insertMany(albums, [{ title: 'Blue', team: 'blue' }]))
    const job = await imported('team', [['B', []]], { append: false })
    expect((await undo(job, 'blue')).result).toMatchObject({ ...counts, out_of_reach: 4, rows: [] })
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 3, partly: 1 })
  })

  test('does not change a field of a child that the user may not write', async () => {
    await imported('albums', [['A', [{ name: 'a', price: 1, takes: [{ label: '1', cost: 1 }] }]]])
    const changed = { id: 1, name: 'a', price: 2, takes: [{ id: 1, label: '1', cost: 2 }] }
    const job = await imported('albums', [['A', [changed]]])
    const before = await everything()
    const why = 'You do not have permission to perform this action.'
    const { result } = await undo(job, 'clerk')
    expect(result).toMatchObject({ ...counts, failed: 2 })
    expect(result?.rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ model: 'tracks', outcome: 'failed', fields: ['price'], why }),
        expect.objectContaining({ model: 'takes', outcome: 'failed', fields: ['cost'], why }),
      ]),
    )
    expect(await everything()).toEqual(before)
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 2 })
  })

  test('does not change a list that the user may not write', async () => {
    await imported('limited', [['A', [{ name: 'a' }]]])
    const job = await imported('limited', [['A', [{ id: 1, name: 'a2' }, { name: 'new' }]]])
    const before = await everything()
    expect((await undo(job, 'clerk')).result).toMatchObject({ ...counts, failed: 2 })
    expect(await everything()).toEqual(before)
  })

  test('leaves children alone whose record an object permission forbids', async () => {
    const list = [{ name: 'a', takes: [{ label: '1' }] }]
    await imported('guarded', [
      ['A', list],
      ['B', list],
    ])
    const job = await imported('guarded', [
      ['A', [{ id: 1, name: 'a', takes: [{ id: 1, label: '2' }] }]],
      ['B', [{ id: 2, name: 'a2', takes: [{ id: 2, label: '2' }, { label: 'new' }] }]],
    ])
    const { result } = await undo(job)
    expect(result).toMatchObject({ ...counts, reversed: 1, failed: 3 })
    const why = 'You do not have permission to perform this action.'
    expect(result?.rows).toContainEqual(expect.objectContaining({ model: 'tracks', fields: ['name'], why }))
    expect((await api.rows('takes')).length).toBe(3)
  })

  test('does not reach a list that the user may not see', async () => {
    await imported('unseen', [['A', [{ name: 'a' }]]])
    const job = await imported('unseen', [['A', [{ id: 1, name: 'a2' }, { name: 'new' }]]])
    const before = await everything()
    expect((await undo(job, 'clerk')).result).toMatchObject({ ...counts, out_of_reach: 2, rows: [] })
    expect(await everything()).toEqual(before)
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 2 })
  })

  test('neither changes nor names a field of a child that the user may not see', async () => {
    await imported('albums', [['A', [{ name: 'a', secret: 's1' }, { name: 'b' }]]])
    const changed = [
      { id: 1, name: 'a2', secret: 's2' },
      { id: 2, name: 'b2' },
    ]
    const job = await imported('albums', [['A', changed]])
    const { result } = await undo(job, 'clerk')
    expect(result).toMatchObject({ ...counts, reversed: 1, out_of_reach: 1 })
    expect(JSON.stringify(result)).not.toContain('secret')
    expect((await api.rows('tracks')).flat()).toContain('s2')
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 1 })
  })

  test('leaves what belonged to a child alone if the child does not come back', async () => {
    await imported('albums', [['A', [{ name: 'a', secret: 's', takes: [{ label: '1' }] }]]])
    const job = await imported('albums', [['A', []]])
    expect((await undo(job, 'other')).result).toMatchObject({ ...counts, out_of_reach: 2, rows: [] })
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 2 })
  })

  test('brings back what the own import deleted, also with fields that are hidden by now', async () => {
    await imported('albums', [['A', [{ name: 'a', secret: 's', takes: [{ label: '1' }] }]]])
    const before = await everything()
    const job = await imported('albums', [['A', []]])
    expect((await undo(job, 'clerk')).result).toMatchObject({ ...counts, reversed: 2 })
    expect(await everything()).toEqual(before)
  })

  test('changes links of a child only if the user may see and write them', async () => {
    await api.database.use(() => insertMany(moods, [{ label: 'sad' }, { label: 'loud' }]))
    const lists = ['tracks', 'covers']
    const linkedTo = (mood: number) => [
      { id: 1, name: 'a', moods: [{ id: mood }] },
      { id: 2, name: 'b', notes: [{ id: mood }] },
    ]
    const created = linkedTo(1).map(({ id: _, ...cover }) => cover)
    await imported('both', [['A', [], created]], { lists })
    const job = await imported('both', [['A', [], linkedTo(2)]], { lists })
    const before = await rowsOf('cover_moods', 'cover_notes')
    const { result } = await undo(job, 'clerk')
    expect(result).toMatchObject({ ...counts, failed: 1, out_of_reach: 1, rows: [{ record: '1', fields: ['moods'] }] })
    expect(await rowsOf('cover_moods', 'cover_notes')).toEqual(before)
    expect((await undo(job)).result).toMatchObject({ ...counts, reversed: 2 })
    expect(await rowsOf('cover_moods', 'cover_notes')).not.toEqual(before)
  })

  test('reports a record as reversed if all rows come back that were deleted or cleared with it', async () => {
    const lists = ['tracks', 'covers']
    await imported('both', [['A', [{ name: 'a', takes: [{ label: '1' }] }], [{ name: 'front' }]]], { lists })
    const before = await everything()
    const job = await imported('both', [['B', [{ name: 'z' }], []]], { append: false, lists })
    expect(await everything()).not.toEqual(before)
    const { result, message } = await undo(job)
    expect(result).toMatchObject({ partly: 0, kept: 0, failed: 0, out_of_reach: 0 })
    expect(message).toBe('')
    expect(await everything()).toEqual(before)
  })

  test('names the tables whose rows do not come back, since the import does not write them', async () => {
    await imported('albums', [['A', [{ name: 'a' }]]])
    const job = await imported('albums', [['B', []]], { append: false })
    const { result } = await undo(job)
    const why = 'Records of covers that the database deleted together with it do not come back.'
    expect(result?.rows).toContainEqual(expect.objectContaining({ model: 'albums', outcome: 'partly', why }))
  })
})
