import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * Where numbers of processes mean something: what is shared, such as a folder or a database, may be known to other
 * machines as well, or to containers whose processes cannot be seen from here.
 */
export const PLACE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)

/** When this process began, as its entry in the list of processes tells it: its number may be given to another. */
export const START = startOf(process.pid) ?? String(Math.trunc(performance.timeOrigin))

/** Whether the process of this place with the number `pid` that began at `start` has not ended. */
export function isRunning(pid: number, start: string): boolean {
  if (pid === process.pid) return start === START
  const known = startOf(pid)
  if (known !== undefined) return known === start
  // Without a list of processes, one whose number was given to another counts as running for as long as that one does.
  return process.platform !== 'linux' && exists(pid)
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The time at which a process began, in the units of Linux; `undefined` for one that has ended, and elsewhere. */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name before that may hold anything. One that has ended may wait for its parent to notice (Z).
    const [state, ...fields] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}
