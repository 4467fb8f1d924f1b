import { createWriteStream } from 'node:fs'
import { finished, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { sizeText } from '../../core/text.ts'

/** The stored file of an upload. */
export interface FilePart {
  /** Without folders. */
  readonly filename: string
  /** In bytes. */
  readonly size: number
}

/** The parts of a body. Parts without a name are left out. */
export interface Parts {
  readonly file: FilePart | undefined
  readonly fields: ReadonlyMap<string, string>
  readonly otherFiles: readonly string[]
}

export interface PartsLimits {
  /** In bytes. */
  readonly maxFileSize: number
  /** The maximum pause of the client, in milliseconds. */
  readonly stallTimeout: number
  /** The maximum time for the whole body, in milliseconds. */
  readonly timeout: number
}

export interface PartsOptions extends PartsLimits {
  readonly path: string
}

const MOST_FIELDS = 20
/** In bytes, as the next ones. The mapping of the widest accepted file fits. */
const LONGEST_VALUE = 256 * 1024
const LONGEST_HEADER = 8 * 1024
/** The maximum size of a body beside its file. */
const OVERHEAD = 512 * 1024

/** Writes the file while it arrives, and discards other files. @throws ApiError 400, 408 or 413 */
export async function readParts(body: Readable, contentType: string, options: PartsOptions): Promise<Parts> {
  const reader = new PartsReader(contentType, options)
  try {
    return await reader.read(body)
  } catch (error) {
    await reader.stop()
    // Discards the rest, so that the client can read the error.
    body.unpipe().resume()
    throw error
  }
}

/** @throws ApiError 413 if the length alone shows that the file is larger than `maxFileSize` bytes */
export function checkLength(contentLength: number, maxFileSize: number): void {
  if (contentLength > maxFileSize + OVERHEAD) throw tooLarge(maxFileSize)
}

class PartsReader {
  readonly #parser: InstanceType<typeof Busboy>
  readonly #options: PartsOptions
  readonly #fields = new Map<string, string>()
  readonly #otherFiles: string[] = []
  #stream: BusboyFileStream | undefined
  #file: Promise<FilePart> | undefined

  constructor(contentType: string, options: PartsOptions) {
    this.#options = options
    this.#parser = parserFor(contentType, options.maxFileSize)
  }

  async read(body: Readable): Promise<Parts> {
    const { maxFileSize, stallTimeout, timeout } = this.#options
    let length = 0
    const timers: NodeJS.Timeout[] = []
    await new Promise<void>((resolve, reject) => {
      // An exception in a listener would end the process.
      const orReject =
        <A extends unknown[]>(fn: (...args: A) => void) =>
        (...args: A): void => {
          try {
            fn(...args)
          } catch (error) {
            reject(error)
          }
        }
      const tooMany = () => reject(new ValidationError(message('too_many_parts', { max: MOST_FIELDS })))
      this.#parser
        .on(
          'file',
          orReject((name, stream, filename) => {
            stream.on('limit', () => reject(tooLarge(maxFileSize)))
            this.#takeFile(name, stream, filename)
            this.#file?.catch(reject)
          }),
        )
        .on(
          'field',
          orReject((name, value, _, isCut) => this.#takeField(name, value, isCut)),
        )
        .on('partsLimit', tooMany)
        .on('error', error => reject(malformed(error)))
        .on('finish', resolve)
      finished(body, { writable: false }, error => {
        if (error) reject(new ValidationError(message('malformed.upload_cut_off')))
      })
      const stalled = setTimeout(() => reject(tooSlow(message('request_timeout.stopped'))), stallTimeout)
      const late = setTimeout(() => reject(tooSlow(message('request_timeout.upload'))), timeout)
      timers.push(stalled, late)
      body.on('data', (chunk: Buffer) => {
        stalled.refresh()
        length += chunk.length
        if (length > maxFileSize + OVERHEAD) reject(tooLarge(maxFileSize))
      })
      body.pipe(this.#parser)
    }).finally(() => timers.forEach(clearTimeout))
    return { file: await this.#file, fields: this.#fields, otherFiles: this.#otherFiles }
  }

  async stop(): Promise<void> {
    // With an error: a stream that has been read to its end without an event would keep the pipeline waiting.
    this.#stream?.destroy(new Error('The upload is refused.'))
    this.#parser.destroy()
    await this.#file?.catch(() => undefined)
  }

  #takeFile(name: string | undefined, stream: BusboyFileStream, sentName = ''): void {
    if (name !== 'file') {
      if (name !== undefined) this.#otherFiles.push(name)
      // The parser reports its error as well.
      stream.on('error', () => undefined).resume()
      return
    }
    if (this.#stream) throw new ValidationError({ file: [message('repeated.file')] })
    this.#stream = stream.on('error', () => undefined)
    // No file system and no database accepts a NUL in a name.
    const filename = sentName.replaceAll('\0', '')
    const target = createWriteStream(this.#options.path, { flags: 'wx', mode: 0o600 })
    this.#file = pipeline(stream, target).then(() => ({ filename, size: stream.bytesRead }))
  }

  #takeField(name: string | undefined, value: string, isCut: boolean): void {
    if (name === undefined) return
    const problem = (text: Text) => new ValidationError({ [name]: [text] })
    if (isCut) throw problem(message('max_length.form_field'))
    if (name === 'file') throw problem(message('no_file.name'))
    if (this.#fields.has(name)) throw problem(message('repeated.field'))
    this.#fields.set(name, value)
  }
}

function parserFor(contentType: string, fileSize: number): InstanceType<typeof Busboy> {
  const limits = { fileSize, parts: MOST_FIELDS + 1, fieldSize: LONGEST_VALUE, headerSize: LONGEST_HEADER }
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch (error) {
    throw malformed(error)
  }
}

/** Busboy's errors have no codes, only texts. */
function malformed(error: unknown): ValidationError {
  const text = error instanceof Error ? error.message : ''
  if (/boundary not found/i.test(text)) return new ValidationError(message('malformed.boundary'))
  return new ValidationError(message(/unexpected end/i.test(text) ? 'malformed.upload_cut_off' : 'malformed.multipart'))
}

/** The connection ends, since the rest of the body would be taken for the next request. */
function tooSlow(text: Text): ApiError {
  return new ApiError(408, 'request_timeout', text, { headers: { connection: 'close' } })
}

function tooLarge(maxFileSize: number): ApiError {
  return new ApiError(413, 'payload_too_large', message('payload_too_large.file', { limit: sizeText(maxFileSize) }))
}
