import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { farWorkbooks, REFUSED, wideSheet } from '../tabular/hostile-workbooks.ts'
import { withFile } from '../tabular/read-support.ts'

const run = promisify(execFile)

/** Reads `content` in a process of its own, within the budget that any hostile file has. */
async function readWithinBudget(
  content: string | Uint8Array,
  { mostSeconds = 1, mostMegabytes = 150 } = {},
): Promise<{ code?: string; rows?: number }> {
  const { seconds, megabytes, ...outcome } = await withFile(content, async path => {
    const child = `${import.meta.dirname}/../tabular/read-child.ts`
    const { stdout } = await run(process.execPath, ['--conditions=viewset-source', child, path])
    return JSON.parse(stdout)
  })
  expect(seconds).toBeLessThan(mostSeconds)
  expect(megabytes).toBeLessThan(mostMegabytes)
  return outcome
}

test.each(REFUSED)('%s is %s, in under one CPU second and 150 MB', async (_, code, make) => {
  expect(await readWithinBudget(make())).toEqual({ code })
})

test('a sheet that says it reaches XFD1048576 costs no more than its cells', async () => {
  expect(await readWithinBudget(wideSheet())).toEqual({ rows: 1 })
})

test.each(farWorkbooks(200_000))(
  '200,000 rows with %s behind 999 empty cells cost no more than their only cell does',
  async (_, rows, make) => {
    expect(await readWithinBudget(make(), { mostSeconds: 3, mostMegabytes: 250 })).toEqual({ rows })
  },
)
