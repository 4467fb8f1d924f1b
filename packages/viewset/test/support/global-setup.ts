import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** Starts one PostgreSQL for the whole run, or takes the server of VIEWSET_TEST_DATABASE_URL. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Hundreds of processes load the same sources: the second one on finds them compiled.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'viewset-test-compile-cache')
  const given = process.env.VIEWSET_TEST_DATABASE_URL
  if (given) {
    project.provide('postgresUrl', given)
    return
  }
  const host = spawn(process.execPath, [join(import.meta.dirname, 'postgres-host.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Its own process group: Ctrl-C must reach it as the end of its input, after the tests have stopped.
    detached: true,
  })
  const exited = once(host, 'exit')
  const [url] = await Promise.race([once(createInterface(host.stdout), 'line'), exited])
  if (typeof url !== 'string') throw new Error('PostgreSQL did not start: see the message above')
  project.provide('postgresUrl', url)
  return async () => {
    host.stdin.end()
    await exited
  }
}
