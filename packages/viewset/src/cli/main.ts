#!/usr/bin/env node
import { nodeProblem } from '../core/node-version.ts'

const problem = nodeProblem(process.versions)
if (problem === undefined) await import('./command-line.ts')
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
