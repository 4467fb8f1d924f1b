#!/usr/bin/env node
import { nodeProblem } from '../core/node-version.ts'

const problem = nodeProblem(process.versions)
if (problem === undefined) {
  // Must run before Drizzle is loaded: commands then start in half of the time.
  await import('../core/fast-drizzle.ts')
  await import('./command-line.ts')
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
