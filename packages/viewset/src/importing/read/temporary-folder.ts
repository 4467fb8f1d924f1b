import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceUnavailable } from '../../core/errors.ts'
import { folderPrefix, sweepTemporaryFolders } from './left-folders.ts'

const folders = new Set<string>()
let hasSwept = false

/**
 * A new folder in the system's folder for temporary files (`TMPDIR`), which nobody but this process's user may open.
 *
 * @throws ServiceUnavailable where none can be made
 */
export async function temporaryFolder(purpose: 'upload' | 'import'): Promise<string> {
  // In a script no API is registered, so nothing else would remove the folders of processes that have ended.
  if (!hasSwept) void sweepTemporaryFolders()
  hasSwept = true
  const folder = await mkdtemp(join(tmpdir(), folderPrefix(purpose))).catch(error => {
    throw storageError(error)
  })
  // A process that ends in the middle of an import takes its files along.
  if (folders.size === 0) process.on('exit', removeAll)
  folders.add(folder)
  return folder
}

/** Removes a folder with all that is in it; one that is gone already is no error. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    // What was done with the file is done. It is tried again when this process ends, and when the next one starts.
    return
  }
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeAll)
}

/** What a failure to write into `folder` is to a client; the log tells the reason, such as a full disk. */
export function storageError(error: unknown, folder?: string): unknown {
  if (!(error instanceof Error)) return error
  const { syscall, path } = error as NodeJS.ErrnoException
  const isOurs = syscall === 'mkdtemp' || syscall === 'write' || (folder !== undefined && path?.startsWith(folder))
  return isOurs
    ? new ServiceUnavailable('The server cannot store files at the moment. Please try again later.', 60, error)
    : error
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
