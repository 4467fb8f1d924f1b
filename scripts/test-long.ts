// Runs the long tests part by part, each in its own process group: `npm run test:long -- imports jobs`.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { LONG_PARTS, type LongPartName, PART_VARIABLE } from './long-parts.ts'

/** A part takes about 10 minutes. After this time, it counts as hanging. */
const LIMIT_MINUTES = 30

const root = join(import.meta.dirname, '..')
const names = Object.keys(LONG_PARTS) as LongPartName[]
const asked = process.argv.slice(2).filter(argument => argument !== '--')
const unknown = asked.filter(name => !names.includes(name as LongPartName))
if (unknown.length > 0) {
  console.error(`There is no part "${unknown.join('", "')}". The parts are ${names.join(', ')}.`)
  process.exit(2)
}

// Read by vitest.config.ts. Each run draws other random cases.
process.env.VIEWSET_TEST_SEED ??= String(randomInt(2 ** 31))
const seed = `Random tests draw from the seed ${process.env.VIEWSET_TEST_SEED}. VIEWSET_TEST_SEED sets it.`
console.log(seed)

const results: string[] = []
let failed = 0
for (const name of asked.length > 0 ? (asked as LongPartName[]) : names) {
  console.log(`\n# ${name}`)
  const started = Date.now()
  const outcome = await runPart(name)
  if (outcome !== 'passed') failed++
  results.push(`${name.padEnd(12)} ${String(Math.round((Date.now() - started) / 1000)).padStart(5)} s  ${outcome}`)
}
console.log(`\n${results.join('\n')}\n${seed}`)
process.exitCode = failed > 0 ? 1 : 0

async function runPart(name: LongPartName): Promise<string> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'vitest.long.config.ts'], {
    cwd: root,
    env: { ...process.env, [PART_VARIABLE]: name },
    stdio: 'inherit',
    detached: true,
  })
  /** Ends all processes of the part. */
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All processes have ended.
    }
  }
  const interrupted = () => {
    end()
    process.exit(130)
  }
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, LIMIT_MINUTES * 60_000)
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  end()
  if (isLate) return `ended after ${LIMIT_MINUTES} minutes`
  return code === 0 ? 'passed' : 'failed'
}
