import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { kit } from 'viewset/pg'
import { createTestDatabase } from 'viewset/testing'
import { afterEach, expect, test } from 'vitest'
import { ChildApi } from '../support/child-api.ts'
import { movingAddress } from '../support/moving-address.ts'
import { notesTable } from '../support/notes.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'

const REQUESTS = Number(process.env.VIEWSET_REPLICA_REQUESTS ?? 100_000)
const USERS = 24

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function startServer(start: Promise<PostgresServer>): Promise<PostgresServer> {
  const server = await start
  ends.push(() => server.stop())
  return server
}

/** A database with the notes, for a role that may do nothing but read and write them. */
async function createDatabase(primary: PostgresServer): Promise<string> {
  const { url, database } = await createTestDatabase({ postgres: primary.url, schema: { notes: notesTable(kit) } })
  const role = 'create role app login; grant select, insert, update, delete on all tables in schema public to app'
  await database.run({ text: `do $$ begin ${role}; end $$` }, [])
  await database.close()
  return Object.assign(new URL(url), { username: 'app', password: '' }).href
}

const at = (url: string, port: number) => Object.assign(new URL(url), { port }).href

async function startApis(location: object, count: number): Promise<ChildApi[]> {
  const apis = await Promise.all(Array.from({ length: count }, () => ChildApi.start(JSON.stringify(location))))
  ends.push(() => Promise.all(apis.map(api => api.kill())))
  return apis
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => {})
  await client.connect()
  ends.push(() => client.end().catch(() => {}))
  return client
}

interface Note {
  readonly id: string
  readonly reads: number
  readonly server: number
}

/** What is acknowledged: a note's number only grows, and one user writes it. */
interface Known {
  readonly id: string
  reads: number
  isLeaving?: true
}

test(`${REQUESTS.toLocaleString('en')} random requests to two processes: no read is older than an acknowledged write`, async () => {
  const login = { settings: { synchronous_commit: 'on' }, trusted: true }
  const primary = await startServer(startPostgresServer(login))
  const near = await startServer(primary.standby({ name: 'near' }))
  const far = await startServer(primary.standby({ name: 'far', settings: { recovery_min_apply_delay: '8ms' } }))
  const url = await createDatabase(primary)
  const apis = await startApis({ primary: url, replicas: [at(url, near.port), at(url, far.port)] }, 2)
  // One of them stands still again and again.
  const stalled = await connect(near.url)
  let isOver = false
  const stalling = (async () => {
    for (; !isOver; await sleep(Math.random() * 400)) {
      await stalled.query('select pg_wal_replay_pause()')
      await sleep(Math.random() * 200)
      await stalled.query('select pg_wal_replay_resume()')
    }
  })()

  const servers = new Map<number, number>()
  const stale: string[] = []
  const failed: string[] = []
  const everything = new Map<string, Known>()
  const unfiltered = await connect(at(url, far.port))
  let [left, behind, compared] = [REQUESTS, 0, 0]
  const api = () => apis[Math.floor(Math.random() * apis.length)]!
  const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)]

  async function user(name: string): Promise<void> {
    const own: Known[] = []
    const show = ({ id, reads, server }: Note, { reads: least }: Known, isOwn: boolean) => {
      servers.set(server, (servers.get(server) ?? 0) + 1)
      if (isOwn ? reads !== least : reads < least) stale.push(`${name}: ${id} is ${reads}, not ${least}`)
    }
    while (left-- > 0) {
      const chance = Math.random()
      const note = pick(own)
      if (!note || chance < 0.03) {
        const response = await api().post('/notes/', { text: name, reads: 0 })
        if (response.status !== 201) failed.push(response.text)
        const known = { id: response.data<Note>().id, reads: 0 }
        own.push(known)
        everything.set(known.id, known)
      } else if (chance < 0.3) {
        const response = await api().request('PATCH', `/notes/${note.id}/`, { reads: note.reads + 1 })
        if (response.status !== 200) failed.push(response.text)
        note.reads++
        if (Math.random() < 0.02) {
          // What a replica shows that nobody asks how far it is.
          const { rows } = await unfiltered.query('select reads from notes where id = $1', [note.id])
          compared++
          if (rows[0]?.reads !== note.reads) behind++
        }
      } else if (chance < 0.32) {
        note.isLeaving = true
        const response = await api().request('DELETE', `/notes/${note.id}/`)
        if (response.status !== 204) failed.push(response.text)
        own.splice(own.indexOf(note), 1)
        everything.delete(note.id)
        left--
        const gone = await api().get(`/notes/${note.id}/`)
        if (gone.status !== 404) stale.push(`${name}: ${note.id} is still there`)
      } else if (chance < 0.75) {
        const response = await api().get(`/notes/${note.id}/`)
        if (response.status === 200) show(response.data<Note>(), note, true)
        else stale.push(`${name}: ${note.id} is ${response.status}`)
      } else if (chance < 0.9) {
        // Whatever another one was told before this was asked.
        const other = pick([...everything.values()])!
        const least = { ...other }
        const response = await api().get(`/notes/${other.id}/`)
        if (response.status === 200) show(response.data<Note>(), least, false)
        else if (!other.isLeaving) stale.push(`${name}: ${other.id} is ${response.status}`)
      } else {
        const response = await api().get(`/notes/?paginated=${Math.random() < 0.5}&page_size=100&text=${name}`)
        const rows = new Map(response.data<Note[]>().map(row => [row.id, row]))
        if (own.length <= 100 && rows.size !== own.length) stale.push(`${name}: ${rows.size} notes, not ${own.length}`)
        for (const known of own.slice(0, 5)) {
          const row = rows.get(known.id)
          if (row) show(row, known, true)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: USERS }, (_, index) => user(`user ${index}`)))
  isOver = true
  await stalling
  const share = (server: PostgresServer) => servers.get(server.port) ?? 0
  console.log(
    `rows shown by the primary ${share(primary)}, the near standby ${share(near)}, the far one ${share(far)};`,
    `unasked, the far one was behind ${behind} of ${compared} times`,
  )
  expect(failed.slice(0, 5)).toEqual([])
  expect(stale.slice(0, 5)).toEqual([])
  expect(behind).toBeGreaterThan(0)
  expect(share(near)).toBeGreaterThan(REQUESTS / 100)
})

test('a failover loses no acknowledged write, where commits wait for a standby', async () => {
  const primary = await startServer(startPostgresServer({ settings: { synchronous_commit: 'on' }, trusted: true }))
  const standby = await startServer(primary.standby({ name: 'second' }))
  const url = await createDatabase(primary)
  const administrator = await connect(primary.url)
  await administrator.query(`alter system set synchronous_standby_names = 'second'`)
  await administrator.query('select pg_reload_conf()')
  await expect
    .poll(async () => (await administrator.query('select sync_state from pg_stat_replication')).rows)
    .toEqual([{ sync_state: 'sync' }])
  const address = await movingAddress(primary.port)
  ends.push(address.close)
  const apis = await startApis({ primary: at(url, address.port), replicas: [at(url, standby.port)] }, 2)

  let isOver = false
  let answered = 0
  const acknowledged = new Map<string, number>()
  const stale: string[] = []
  const statuses = new Set<number>()
  async function client(number: number): Promise<void> {
    for (let i = 0; !isOver; i++) {
      const response = await apis[(number + i) % 2]!.post('/notes/', { text: `client ${number}`, reads: i })
      statuses.add(response.status)
      if (response.status !== 201) {
        await sleep(20)
        continue
      }
      answered++
      const { id } = response.data<Note>()
      acknowledged.set(id, i)
      const read = await apis[(number + i + 1) % 2]!.get(`/notes/${id}/`)
      statuses.add(read.status)
      if (read.status !== 200 && read.status !== 503) stale.push(`${id} is ${read.status}`)
    }
  }
  const clients = Array.from({ length: 8 }, (_, number) => client(number))
  await expect.poll(() => answered).toBeGreaterThan(500)

  await primary.kill()
  const before = answered
  const promoter = await connect(standby.url)
  await promoter.query('select pg_promote()')
  address.move(standby.port)
  await expect.poll(() => answered).toBeGreaterThan(before + 500)
  isOver = true
  await Promise.all(clients)

  const survivor = await connect(at(url, standby.port))
  const { rows } = await survivor.query('select id from notes')
  const stored = new Set(rows.map(({ id }) => id))
  console.log(`${acknowledged.size} writes acknowledged, ${before} of them before the failover; ${stored.size} stored`)
  expect([...acknowledged.keys()].filter(id => !stored.has(id))).toEqual([])
  expect(stale).toEqual([])
  expect([...statuses].toSorted()).toEqual([200, 201, 503])
})
