import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { removeFolder, storageError, temporaryFolder } from '../../importing/read/temporary-folder.ts'
import { JobFileMissing, type JobFiles } from '../../jobs/files/job-files.ts'
import { gone } from './work-of-jobs.ts'

export async function withLocalFile<T>(
  files: JobFiles,
  key: string,
  signal: AbortSignal,
  fn: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder('import')
  try {
    const path = join(folder, 'file')
    await pipeline(await files.get(key), createWriteStream(path), { signal }).catch(error => {
      throw storageError(error, folder)
    })
    return await fn(path)
  } catch (error) {
    throw error instanceof JobFileMissing ? gone('The file of this job is no longer there.') : error
  } finally {
    await removeFolder(folder)
  }
}
