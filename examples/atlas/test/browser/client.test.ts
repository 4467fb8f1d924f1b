import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useBrowser } from '../../../../packages/viewset/test/support/browser.ts'
import { openClientPage } from '../../../../packages/viewset/test/support/client-page.ts'
import { openSqlite } from '../../src/database.ts'
import { startSmallAtlas, tokens } from '../support/small-atlas.ts'
import { walked, walkThrough } from '../support/walk-through.ts'

const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
const browser = useBrowser()
let atlas: Awaited<ReturnType<typeof startSmallAtlas>>
beforeAll(async () => {
  atlas = await startSmallAtlas(await openSqlite(directory))
})
afterAll(async () => {
  await atlas?.app.close()
  rmSync(directory, { recursive: true })
})

test('the walk through the README, with viewset/client, is the same in Chromium', async () => {
  const module = await openClientPage(browser, atlas.origin)
  const seen = await module.evaluate(walkThrough, { baseUrl: '/api', token: tokens.admin })
  expect(seen).toEqual(walked)
  // Chromium logs what was refused on purpose, and nothing else.
  const refused = browser.problems.splice(0).map(problem => /the server responded with a status of (\d+)/.exec(problem))
  expect(refused.map(match => Number(match?.[1]))).toEqual([400, 401, 400, 401, 401, 404])
})
