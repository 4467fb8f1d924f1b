// Imported first by every entry for servers: a Node that is too old says so, before anything of it is missing.
import { nodeProblem } from './node-version.ts'

const problem = nodeProblem(process.versions)
if (problem !== undefined) {
  // The stack would lead into the package, where nobody can put it right.
  throw Object.assign(new Error(problem), { stack: problem })
}
