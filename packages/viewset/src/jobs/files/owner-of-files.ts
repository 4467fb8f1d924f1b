import { text } from 'node:stream/consumers'
import { JobFileMissing, type JobFiles } from './job-files.ts'

/** The file that names the database of all others in a store. No job has this key. */
const OWNER = 'database'

/** The database of whose jobs a store has the files; `undefined` if it says none. */
export async function ownerOfFiles(files: JobFiles): Promise<string | undefined> {
  try {
    return await text(await files.get(OWNER))
  } catch (error) {
    if (error instanceof JobFileMissing) return undefined
    throw error
  }
}

export function giveFilesTo(files: JobFiles, database: string): Promise<void> {
  return files.put(OWNER, bytesOf(database))
}

async function* bytesOf(owner: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(owner)
}
