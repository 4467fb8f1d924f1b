import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { message } from '../../core/messages/message.ts'
import { sizeText } from '../../core/text.ts'
import { TabularError } from '../../tabular/errors.ts'
import { removeFolder, storageError, temporaryFolder } from '../../tabular/temporary-folder.ts'

/** A file to import: its path, its bytes or a stream of them. */
export type ImportSource = string | Uint8Array | AsyncIterable<Uint8Array>

/** Runs `fn` with the path of a file that holds `source`, and then removes a temporary file. */
export async function withFile<T>(
  source: ImportSource,
  maxBytes: number,
  signal: AbortSignal | undefined,
  fn: (path: string) => Promise<T>,
): Promise<T> {
  if (typeof source === 'string') return fn(source)
  const folder = await temporaryFolder('import')
  try {
    const path = join(folder, 'file')
    const bytes = source instanceof Uint8Array ? [source] : source
    await pipeline(Readable.from(limited(bytes, maxBytes)), createWriteStream(path), { signal }).catch(error => {
      throw storageError(error, folder)
    })
    return await fn(path)
  } finally {
    await removeFolder(folder)
  }
}

async function* limited(bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, maxBytes: number) {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.byteLength
    if (size > maxBytes) throw new TabularError('too_large', message('too_large', { limit: sizeText(maxBytes) }))
    yield chunk
  }
}
