// Reads one file in a process of its own and says what that took: `node read-child.ts <path>`.
import { readFile } from 'node:fs/promises'
import { TabularError } from '../../src/tabular/errors.ts'
import { readPath } from './read-support.ts'

const [, , path = ''] = process.argv
const outcome = await readPath(path).then(
  sheets => ({ rows: sheets.reduce((sum, { rows }) => sum + rows.length, 0) }),
  error => ({ code: error instanceof TabularError ? error.code : String(error) }),
)
const { user, system } = process.cpuUsage()
// What `resourceUsage` calls the most begins with what the parent had.
const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
const megabytes = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? process.memoryUsage.rss() / 1024) / 1024
console.log(JSON.stringify({ ...outcome, seconds: (user + system) / 1e6, megabytes }))
