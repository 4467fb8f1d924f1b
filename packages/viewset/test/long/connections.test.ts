import { createTestDatabase } from 'viewset/testing'
import { expect, test } from 'vitest'
import { ChildApi } from '../support/child-api.ts'
import { Crowd } from '../support/crowd.ts'
import { describeDialects } from '../support/dialects.ts'
import { notesTable } from '../support/notes.ts'

const CONNECTIONS = 10_000
const WAVES = 10
/** By then all that is made once is there. */
const SETTLED = 3
/** Megabytes: how much of the garbage collector's room a process takes depends on the machine's other work. */
const MOST = 1_000
describeDialects('10,000 connections', ({ name, kit, server }) => {
  test('others are answered, memory levels off, and all can ask at once', async () => {
    const { url, drop } = await createTestDatabase({ ...server, schema: { notes: notesTable(kit) } })
    const api = await ChildApi.start(url)
    const kept: number[] = []
    try {
      for (let wave = 1; wave <= WAVES; wave++) {
        const crowd = await Crowd.connect(api.port, CONNECTIONS)
        try {
          for (let i = 0; i < 20; i++) {
            expect((await api.post('/notes/', { text: `${wave} ${i}` })).status).toBe(201)
            expect((await api.get('/notes/')).status).toBe(200)
          }
          // A thousand times more than the pool has connections: who waits for too long is told so.
          const { 200: answered = 0, 503: refused = 0, ...others } = await crowd.ask()
          expect(others).toEqual({})
          expect(answered + refused).toBe(CONNECTIONS)
          // SQLite has no pool, and the list of a few notes is quick.
          expect(answered).toBeGreaterThan(name === 'sqlite' ? CONNECTIONS - 1 : 0)
          await expect.poll(async () => (await api.get('/notes/')).status).toBe(200)
          const { resident, used } = await api.memory()
          kept.push(used)
          expect(resident).toBeLessThan(MOST)
          console.log(`wave ${wave}: ${answered} answered, ${refused} refused, ${resident} MB, ${used} in use`)
        } finally {
          await crowd.leave()
        }
      }
      const [settled = 0, ...later] = kept.slice(SETTLED - 1)
      for (const megabytes of later) expect(megabytes).toBeLessThan(settled * 1.1)
      expect((await api.get('/notes/')).envelope().count).toBe(WAVES * 20)
    } finally {
      await api.kill()
      await drop()
    }
  })
})
