import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { ConfigError } from '../../core/errors.ts'
import { storageError } from '../../tabular/temporary-folder.ts'
import { checkJobFileKey, isJobFileKey, JobFileMissing, type JobFiles, type StoredJobFile } from './job-files.ts'

const PARTIAL = /^\.[0-9a-f-]{36}$/

/** No upload pauses for a day. */
const A_DAY = 86_400_000

/**
 * Stores the files of jobs in a folder, which is created for the process's user only. All processes that run jobs must
 * share it; on machines without a shared folder use {@link s3}.
 *
 * @throws ConfigError for an empty path
 * @example
 * const files = folder('/var/lib/shop/jobs')
 */
export function folder(path: string): JobFiles {
  if (typeof path !== 'string' || path === '') throw new ConfigError('folder', 'path', 'must be the path of a folder')
  return new FolderJobFiles(resolve(path))
}

class FolderJobFiles implements JobFiles {
  readonly #folder: string

  constructor(path: string) {
    this.#folder = path
  }

  check(): void {
    const { W_OK, X_OK } = constants
    let nearest = this.#folder
    while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
    try {
      // The slash makes this fail for a file.
      accessSync(`${nearest}/`, W_OK | X_OK)
    } catch (error) {
      const reason = `this process may not write to "${nearest}" (${(error as NodeJS.ErrnoException).code})`
      const remedy = "make it writable, or give another folder: files: folder('data/jobs')"
      throw new ConfigError('api.jobs', 'files', `the files of jobs cannot be stored: ${reason}; ${remedy}`)
    }
  }

  async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(key)
    const partial = join(this.#folder, `.${randomUUID()}`)
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await write(partial, bytes)
      await rename(partial, path)
      await syncFolder(this.#folder)
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {})
      throw storageError(error, this.#folder)
    }
  }

  async get(key: string): Promise<Readable> {
    const file = await open(this.#pathOf(key)).catch(error => {
      throw isMissing(error) ? new JobFileMissing(key, error) : error
    })
    return file.createReadStream()
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  async *list(): AsyncGenerator<StoredJobFile> {
    for (const name of await readdir(this.#folder).catch(noneIfMissing)) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(noneIfMissing)
      if (!('mtime' in found)) continue
      const key = name.replaceAll('.', '/')
      if (isJobFileKey(key)) yield { key, storedAt: found.mtime }
      // The process that wrote the file was killed.
      else if (PARTIAL.test(name) && found.mtimeMs < Date.now() - A_DAY) await rm(path, { force: true })
    }
  }

  /** Keys contain no dots. A single folder without subfolders leaves no empty folders behind. */
  #pathOf(key: string): string {
    checkJobFileKey(key)
    return join(this.#folder, key.replaceAll('/', '.'))
  }
}

/** The job's row says that the file exists, so it must be on the disk first, also after a power failure. */
async function write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot sync folders.
  if (process.platform === 'win32') return
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

function noneIfMissing(error: unknown): [] {
  if (isMissing(error)) return []
  throw error
}
