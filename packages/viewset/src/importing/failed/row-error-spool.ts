import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { OnRowErrors } from '../options.ts'
import type { ImportRowError } from '../result.ts'
import { ofModels } from './failed-rows.ts'

/** Errors that are read together. */
const PART = 1_000

/** Where the spool has a batch. */
interface Mark {
  /** Rows of the file before the batch. */
  readonly from: number
  /** Bytes of the spool before it. */
  readonly offset: number
}

/** Keeps what is wrong with rows in a file, however much that is, until it is known what to do with it. */
export class RowErrorSpool {
  readonly #path: string
  #file: FileHandle | undefined
  #marks: Mark[] = []
  #end = 0

  /** @param path of a file that is not there yet; whoever has made its folder removes it */
  constructor(path: string) {
    this.#path = path
  }

  get isEmpty(): boolean {
    return this.#end === 0
  }

  readonly add: OnRowErrors = async (errors, from) => {
    const again = this.#marks.findIndex(mark => mark.from >= from)
    this.#end = this.#marks[again]?.offset ?? this.#end
    if (again !== -1) this.#marks.length = again
    if (errors.length === 0) return
    this.#marks.push({ from, offset: this.#end })
    const bytes = Buffer.from(errors.map(error => `${lineOf(error)}\n`).join(''))
    this.#file ??= await open(this.#path, 'wx', 0o600)
    await this.#file.writev([bytes], this.#end)
    this.#end += bytes.length
  }

  readonly errors = ofModels(() => this.parts())

  /** All that it keeps, in order. */
  async *parts(): AsyncGenerator<readonly ImportRowError[]> {
    if (this.isEmpty) return
    const stream = createReadStream(this.#path, { end: this.#end - 1 })
    try {
      let part: ImportRowError[] = []
      for await (const line of createInterface({ input: stream })) {
        if (part.push(JSON.parse(line)) < PART) continue
        yield part
        part = []
      }
      if (part.length > 0) yield part
    } finally {
      stream.destroy()
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}

/** Two characters that JSON leaves as they are end a line, too. */
function lineOf(error: ImportRowError): string {
  return JSON.stringify(error).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
