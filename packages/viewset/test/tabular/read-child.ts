// Reads one file in a process of its own and says what that took: `node read-child.ts <path> [limits as JSON]`.
import { readFile } from 'node:fs/promises'
import { TabularError } from '../../src/tabular/errors.ts'
import { openTabular } from '../../src/tabular/read/open.ts'

async function countRows(path: string, limits = '{}'): Promise<number> {
  const file = await openTabular(path, { formats: ['csv', 'xls', 'xlsx'], limits: JSON.parse(limits) })
  try {
    let rows = 0
    for (const sheet of file.sheets) for await (const batch of sheet.rows([0])) rows += batch.length
    return rows
  } finally {
    await file.close()
  }
}

const outcome = await countRows(process.argv[2]!, process.argv[3]).then(
  rows => ({ rows }),
  error => ({ code: error instanceof TabularError ? error.code : String(error) }),
)
const { user, system } = process.cpuUsage()
// What `resourceUsage` calls the most begins with what the parent had.
const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
const megabytes = Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? process.memoryUsage.rss() / 1024) / 1024
console.log(JSON.stringify({ ...outcome, seconds: (user + system) / 1e6, megabytes }))
