import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeLargeWorkbook } from '../support/large-workbook.ts'

const PROGRAM = join(import.meta.dirname, '../support/preview-process.ts')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'viewset-preview-'))
  await writeLargeWorkbook(join(folder, 'small.xlsx'), 100, 'first')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** CPU in milliseconds of the whole process and of its main thread, memory in megabytes. */
interface Costs {
  readonly cpu: number
  readonly mainThread: number
  readonly memory: number
  readonly headers: readonly string[]
  readonly rows: number
}

test.each(['first', 'last'] as const)(
  'a preview of 50 MB of XLSX takes 2 CPU seconds, 150 MB and 50 ms of the event loop at most: the header has the %s texts',
  async headerTexts => {
    const path = join(folder, `${headerTexts}.xlsx`)
    // As much as a workbook may be when it is unpacked.
    await writeLargeWorkbook(path, 620_000, headerTexts)
    expect((await stat(path)).size).toBeGreaterThan(38e6)
    const parameters = ['--conditions=viewset-source', PROGRAM, path, join(folder, 'small.xlsx')]
    const { stdout } = await promisify(execFile)(process.execPath, parameters)
    const costs = JSON.parse(stdout) as Costs
    expect(costs).toMatchObject({
      headers: ['name', 'district', 'plate', 'population', 'area', 'kind', 'iso2', 'mayor'],
      rows: 20,
    })
    expect(costs.cpu).toBeLessThan(2_000)
    expect(costs.mainThread).toBeLessThan(50)
    expect(costs.memory).toBeLessThan(150)
  },
)
