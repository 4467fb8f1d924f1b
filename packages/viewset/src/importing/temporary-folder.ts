import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()

/**
 * A new folder in the system's folder for temporary files (`TMPDIR`), which nobody but this process's user may open.
 *
 * @param prefix what its name begins with
 */
export async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  // A process that ends in the middle of an import takes its files along.
  if (folders.size === 0) process.on('exit', removeAll)
  folders.add(folder)
  return folder
}

/** Removes a folder with all that is in it; one that is gone already is no error. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  folders.delete(folder)
  if (folders.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
