import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PackedProjects, run, startProgram } from '../support/packed-project.ts'
import { useBooks } from '../support/use-books.ts'

const API_KEY = 'a-key-of-a-test'
const NEXT = ['node', 'node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', '0'] as const

describe('the examples in frameworks, as somebody has them who installs the package', () => {
  let projects: PackedProjects
  beforeAll(async () => {
    projects = await PackedProjects.create()
  }, 10 * 60_000)
  afterAll(() => projects?.remove())

  test.each([
    { name: 'next', command: NEXT, page: '/', shows: /1(<!-- -->)? books/ },
    { name: 'nest', command: ['node', 'dist/main.js'] as const, page: '/health', shows: /^\{"status":"well"\}$/ },
  ])('$name installs, builds, serves and stops', async ({ name, command, page, shows }) => {
    const folder = await projects.copy(join('examples', name))
    await run(folder, 'npm', 'ci', '--no-audit', '--no-fund')
    await run(folder, 'npm', 'run', 'build')
    const { address, stop } = await startProgram(folder, [...command], {
      API_KEY,
      PORT: '0',
      NEXT_TELEMETRY_DISABLED: '1',
    })
    try {
      await useBooks(address, API_KEY)
      expect(await (await fetch(address + page)).text()).toMatch(shows)
    } finally {
      // Both end by the signal itself, once they have tidied up.
      expect([143, 'SIGTERM']).toContain(await stop())
    }
  })
})
