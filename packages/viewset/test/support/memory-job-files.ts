import { Readable } from 'node:stream'
import { JobFileMissing, type JobFiles } from 'viewset/jobs'

/** Files of jobs in memory: tests that run hundreds of jobs have no time for a disk. */
export class MemoryJobFiles implements JobFiles {
  readonly #files = new Map<string, { readonly bytes: Buffer; readonly storedAt: Date }>()

  async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    this.#files.set(key, { bytes: Buffer.concat(parts), storedAt: new Date() })
  }

  async get(key: string): Promise<Readable> {
    const file = this.#files.get(key)
    if (!file) throw new JobFileMissing(key)
    return Readable.from([file.bytes])
  }

  async remove(key: string): Promise<void> {
    this.#files.delete(key)
  }

  async *list() {
    for (const [key, { storedAt }] of this.#files) yield { key, storedAt }
  }
}
