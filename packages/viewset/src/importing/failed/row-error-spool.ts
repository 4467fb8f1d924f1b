import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { OnRowErrors } from '../options.ts'
import type { ImportRowError } from '../result.ts'
import { ofModels } from './failed-rows.ts'

const PART = 1_000

interface Mark {
  readonly from: number
  readonly offset: number
}

export class RowErrorSpool {
  readonly #path: string
  #file: FileHandle | undefined
  #marks: Mark[] = []
  #end = 0

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

/** U+2028 and U+2029 end a line too, and JSON does not escape them. */
function lineOf(error: ImportRowError): string {
  return JSON.stringify(error).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
