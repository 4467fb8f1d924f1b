// Every server entry imports this file first, so that an old Node is reported before a missing feature throws.
import { nodeProblem } from './node-version.ts'

const problem = nodeProblem(process.versions)
if (problem !== undefined) {
  // The stack points into this package and does not help.
  throw Object.assign(new Error(problem), { stack: problem })
}
