import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceUnavailable } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { isRunning, PLACE, START } from '../core/processes.ts'

type Purpose = 'upload' | 'import' | 'export' | 'undo'

const folders = new Set<string>()
let hasSwept = false

/**
 * A new folder in the system's temporary folder (`TMPDIR`) with access only for the process's user.
 *
 * @throws ServiceUnavailable if it cannot be made
 */
export async function temporaryFolder(purpose: Purpose): Promise<string> {
  if (!hasSwept) void sweepTemporaryFolders()
  hasSwept = true
  const folder = await mkdtemp(join(tmpdir(), folderPrefix(purpose))).catch(error => {
    throw storageError(error)
  })
  // Removes the files when the process exits during an import.
  if (folders.size === 0) process.on('exit', removeAll)
  folders.add(folder)
  return folder
}

/** Removes a folder with its contents. A missing folder is not an error. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    // The file is no longer needed. Its removal is tried again when this process ends and when the next one starts.
    return
  }
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeAll)
}

/** The client's error for a failed write to `folder`. The log has the reason, such as a full disk. */
export function storageError(error: unknown, folder?: string): unknown {
  if (!(error instanceof Error)) return error
  const { syscall, path } = error as NodeJS.ErrnoException
  const isOurs = syscall === 'mkdtemp' || syscall === 'write' || (folder !== undefined && path?.startsWith(folder))
  return isOurs ? new ServiceUnavailable(message('service_unavailable.disk'), 60, error) : error
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

const NAME = /^viewset-(?:upload|import|export|undo)-([0-9a-f]{8})-(\d+)-(\d+)-\w{6}$/

/** Longer than any upload or import. */
const A_DAY = 86_400_000

function folderPrefix(purpose: Purpose): string {
  return `viewset-${purpose}-${PLACE}-${process.pid}-${START}-`
}

/**
 * Removes folders that killed processes left behind. Folders of other machines or containers are removed after a day. A
 * failed removal is ignored.
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
  // A link, or a folder of another user, is not ours.
  if (!found?.isDirectory() || (process.getuid && found.uid !== process.getuid())) return false
  return place === PLACE ? !isRunning(Number(pid), String(start)) : found.mtimeMs < Date.now() - A_DAY
}
