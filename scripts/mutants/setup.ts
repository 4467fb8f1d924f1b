// The set-up of each test file: it activates the mutant, and records the mutants that the file reaches.
import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'

interface Switch {
  active: number
  calls: number
  readonly hits: Set<number>
}

const { testPath = '' } = expect.getState()
const plan = JSON.parse(readFileSync(String(process.env.VIEWSET_MUTANTS_PLAN), 'utf8')) as Record<string, number>
const active = plan[testPath] ?? -1
const mutants = () => (globalThis as { __mutants?: Switch }).__mutants
// Processes of a test have the same mutant.
process.env.VIEWSET_MUTANT = String(active)
const current = mutants()
if (current) {
  current.active = active
  current.calls = 0
  current.hits.clear()
}

let hasFailed = false
beforeEach(({ skip }) => {
  // One failed test is enough.
  if (hasFailed) skip()
})
afterEach(({ task }) => {
  hasFailed ||= active >= 0 && task.result?.state === 'fail'
})
afterAll(() => {
  const line = JSON.stringify({ path: testPath, hits: [...(mutants()?.hits ?? [])] })
  appendFileSync(String(process.env.VIEWSET_MUTANTS_HITS), `${line}\n`)
})
