import { lstat, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning, PLACE, START } from '../../core/processes.ts'

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
