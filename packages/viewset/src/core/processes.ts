import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/**
 * The machine and the process namespace. Several machines or containers may share a folder or a database, and a process
 * id has a meaning only in its own namespace.
 */
export const PLACE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)

/** The start time of this process. The system reuses process ids, and a reused one has another start time. */
export const START = startOf(process.pid) ?? String(Math.trunc(performance.timeOrigin))

export function isRunning(pid: number, start: string): boolean {
  if (pid === process.pid) return start === START
  const known = startOf(pid)
  if (known !== undefined) return known === start
  // Without /proc, a process that reuses the id counts as the old one.
  return process.platform !== 'linux' && exists(pid)
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The start time of a process in Linux's units; `undefined` if it has ended or /proc is missing. */
function startOf(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The program's name before `)` may contain any character. An ended process can wait for its parent (Z).
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

/**
 * The module of a worker thread, given as the built package names it: `new URL('./worker.js', import.meta.url)`.
 * Sources end in .ts.
 */
export function workerFile(file: URL): URL {
  return import.meta.url.endsWith('.ts') ? new URL(file.href.replace(/js$/, 'ts')) : file
}
