import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'

let atlas: ChildProcess
let port: number
const lines: string[] = []
const ends: (() => unknown)[] = []

beforeAll(async () => {
  const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
  ends.push(drop)
  port = await freePort()
  atlas = spawn(process.execPath, ['--conditions=viewset-source', 'src/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      DATABASE_URL: url,
      PORT: String(port),
      WEB_CONCURRENCY: '2',
      ATLAS_ADMIN_TOKEN: 'admin',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = createInterface(atlas.stdout!)
  output.on('line', line => lines.push(line))
  while (!lines.some(line => line.startsWith('Atlas is ready'))) await once(output, 'line')
})
afterAll(async () => {
  if (atlas.exitCode === null && atlas.kill('SIGKILL')) await once(atlas, 'exit')
  for (const end of ends) await end()
})

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address ? address.port : 0
}

async function workers(): Promise<number[]> {
  const children = await readFile(`/proc/${atlas.pid}/task/${atlas.pid}/children`, 'utf8')
  return children.trim().split(/\s+/).map(Number)
}

/** One request; a connection that is lost throws. */
async function ask(
  path: string,
  { agent, method = 'GET', body }: { agent?: Agent; method?: string; body?: object } = {},
) {
  const headers = { authorization: 'Bearer admin', 'content-type': 'application/json' }
  const request = send({ host: '127.0.0.1', port, path: `/api${path}`, method, headers, ...(agent && { agent }) })
  request.end(body && JSON.stringify(body))
  const [response] = await once(request, 'response')
  return { status: Number(response.statusCode), json: JSON.parse(await text(response)) }
}

/** Clients that ask as fast as they can, on connections that they keep. Ends with what went wrong, of how many. */
function hammer(clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const wrong: string[] = []
  let [asked, isOver] = [0, false]
  const client = async () => {
    for (; !isOver; asked++) {
      const answer = await ask('/countries/?page_size=5', { agent }).catch((error: Error) => error)
      if (answer instanceof Error) wrong.push(answer.message)
      else if (answer.status !== 200) wrong.push(`${answer.status} ${JSON.stringify(answer.json)}`)
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    asked: () => asked,
    async end() {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      return wrong
    },
  }
}

test('WEB_CONCURRENCY=2 is two processes, whose cursors and jobs are those of all', async () => {
  expect(await workers()).toHaveLength(2)
  const city = (await ask('/cities/?page_size=1')).json.data[0].id
  const events = Array.from({ length: 6 }, (_, i) => ({
    name: `${i}`,
    kind: 'other',
    happened_at: `2026-01-0${i + 1}T00:00:00Z`,
    city,
  }))
  expect((await ask('/events/bulk-create/', { method: 'POST', body: events })).status).toBe(201)
  const names: string[] = []
  for (let next = '/events/?page_size=1'; next !== ''; ) {
    const { json } = await ask(next)
    names.push(json.data[0].name)
    next = json.next === null ? '' : json.next.replace(/^.*\/api/, '')
  }
  expect(names).toEqual(['5', '4', '3', '2', '1', '0'])
  const job = await ask('/cities/export/?background=true', {
    method: 'POST',
    body: { file_type: 'csv', includes: ['name'] },
  })
  expect(job.status).toBe(202)
  // Each request is on a connection of its own, and they go to both in turn.
  const state = async () => (await ask(`/jobs/${job.json.data.id}/`)).json.data.state
  await expect.poll(state).toBe('succeeded')
})

test('at SIGHUP, others take their place, and no client notices', async () => {
  const before = await workers()
  const clients = hammer(8)
  const fresh = lines.length
  atlas.kill('SIGHUP')
  await expect.poll(() => lines.slice(fresh)).toEqual(['Atlas has been restarted: 2 new processes'])
  await expect.poll(async () => (await workers()).length).toBe(2)
  const after = clients.asked()
  await expect.poll(clients.asked).toBeGreaterThan(after + 50)
  expect(await clients.end()).toEqual([])
  console.log(`${clients.asked()} requests during the restart, none failed`)
  expect((await workers()).filter(pid => before.includes(pid))).toEqual([])
})

test('one that is killed is replaced', async () => {
  const [victim = 0, other = 0] = await workers()
  process.kill(victim, 'SIGKILL')
  await expect.poll(async () => (await workers()).filter(pid => pid !== victim).length).toBe(2)
  expect(await workers()).toContain(other)
  await sleep(1_000)
  for (let i = 0; i < 10; i++) expect((await ask('/countries/?page_size=1')).status).toBe(200)
})

test('at SIGTERM, what is in flight is answered, and all end', async () => {
  const pids = await workers()
  // What nobody reads yet is not sent yet.
  const begun = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const request = send({ host: '127.0.0.1', port, path: '/api/regions/?paginated=false' }).end()
      const [response] = await once(request, 'response')
      return response as IncomingMessage
    }),
  )
  const ended = once(atlas, 'exit')
  atlas.kill('SIGTERM')
  await expect.poll(() => ask('/continents/').then(() => 'listens', String)).toMatch('ECONNREFUSED')
  for (const response of begun) expect(JSON.parse(await text(response)).data).toHaveLength(3865)
  expect(await ended).toEqual([0, null])
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
})
