// An API over one face, as a process of its own: `process.ts <face> <SQLite file>`.
import { createHandler } from 'viewset/fetch'
import { openDatabase } from '../fixture/database.ts'
import { faceCases, resourcesOf } from './cases.ts'
import { servers } from './servers.ts'

/** What a face is asked: what it has used so far, or to ask itself the requests of a case, where it has no server. */
export type FaceQuestion = { readonly ask: 'usage' } | { readonly ask: 'requests'; readonly of: string }

/** What it tells: its port at the start, if it has one, then CPU time, user and system, in microseconds. */
export interface FaceAnswer {
  readonly port?: number
  readonly microseconds: number
}

/** Requests that are under way at the same time. */
const AT_ONCE = 4

const [face = '', location = ''] = process.argv.slice(2)
const { database, tables } = await openDatabase('sqlite', location)
const options = { prefix: '/api', database, resources: resourcesOf(tables) }
const start = Object.entries(servers).find(([name]) => name === face)?.[1]
const handler = start ? undefined : createHandler(options)
tell(start ? { port: await start(options) } : {})

process.on('message', async (question: FaceQuestion) => {
  if (question.ask === 'requests') await askMyself(question.of)
  tell()
})
// However the benchmark ends, its processes end with it.
process.on('disconnect', () => process.exit())

function tell(more: { readonly port?: number } = {}): void {
  const { user, system } = process.cpuUsage()
  process.send?.({ ...more, microseconds: user + system } satisfies FaceAnswer)
}

async function askMyself(name: string): Promise<void> {
  const asked = faceCases.find(faceCase => faceCase.name === name)
  if (!handler || !asked) throw new Error('Run this through faces.ts')
  let next = 0
  const askAll = async () => {
    while (next < asked.requests) {
      const { method, path, body } = asked.request(next++)
      const headers = { ...(body !== undefined && { 'content-type': 'application/json' }) }
      const response = await handler(
        new Request(`http://bench.local${path}`, { method, headers, ...(body !== undefined && { body }) }),
      )
      if (!response.ok) throw new Error(await response.text())
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askAll))
}
