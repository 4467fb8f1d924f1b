import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where numbers of processes mean something: a folder for temporary files may be shared with other machines, or with
 * containers whose processes cannot be seen from here.
 */
const PLACE = createHash('sha256').update(`${hostname()} ${processNamespace()}`).digest('hex').slice(0, 8)

/** When this process began, as its entry in the list of processes tells it: its number may be given to another. */
const START = startOf(process.pid) ?? String(Math.trunc(performance.timeOrigin))

const NAME = /^viewset-(?:upload|import)-([0-9a-f]{8})-(\d+)-(\d+)-\w{6}$/

/** No upload and no import takes as long. */
const A_DAY = 86_400_000

/** What the name of a folder begins with: it tells which process it belongs to. */
export function folderPrefix(purpose: 'upload' | 'import'): string {
  return `viewset-${purpose}-${PLACE}-${process.pid}-${START}-`
}

/**
 * Removes the folders of processes that have ended without doing so themselves, as a killed one does. Those of another
 * place go when they are a day old. What cannot be removed stays.
 */
export async function sweepTemporaryFolders(): Promise<void> {
  const parent = tmpdir()
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    if (await isLeft(name, path)) await rm(path, { recursive: true, force: true }).catch(() => {})
  }
}

async function isLeft(name: string, path: string): Promise<boolean> {
  const [isOurs, place, pid, start] = NAME.exec(name) ?? []
  if (!isOurs) return false
  const found = await lstat(path).catch(() => undefined)
  // A link, or a folder of another user, was not made by us.
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false
  return place === PLACE ? !isRunning(Number(pid), String(start)) : found.mtimeMs < Date.now() - A_DAY
}

function isRunning(pid: number, start: string): boolean {
  if (pid === process.pid) return start === START
  const known = startOf(pid)
  if (known !== undefined) return known === start
  // Without a list of processes, a number that was given to another keeps its folder for as long as that one runs.
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
