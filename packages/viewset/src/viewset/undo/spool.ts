import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { removeFolder, storageError, temporaryFolder } from '../../tabular/temporary-folder.ts'

/** Items in memory before a list goes to the disk. Most undos are smaller. */
const IN_MEMORY = 1_000

interface Place {
  readonly at: number
  readonly length: number
}

/** A folder on the disk for the lists of one undo. It is made when a list first needs it. */
export class SpoolFolder {
  #folder: Promise<string> | undefined
  readonly #files: FileHandle[] = []
  #count = 0

  async newFile(): Promise<FileHandle> {
    this.#folder ??= temporaryFolder('undo')
    const folder = await this.#folder
    const file = await open(join(folder, String(++this.#count)), 'wx+', 0o600).catch(error => {
      throw storageError(error, folder)
    })
    this.#files.push(file)
    return file
  }

  spool<T>(): Spool<T> {
    return new Spool(this)
  }

  async remove(): Promise<void> {
    for (const file of this.#files) await file.close()
    if (this.#folder) await removeFolder(await this.#folder)
  }
}

/** A list that only grows, and is read in the order of its items. Memory holds a part of it. */
export class Spool<T> {
  readonly #folder: SpoolFolder
  #recent: T[] = []
  #places: Place[] = []
  #file: Promise<FileHandle> | undefined
  #end = 0
  size = 0

  constructor(folder: SpoolFolder) {
    this.#folder = folder
  }

  async add(items: readonly T[]): Promise<void> {
    for (const item of items) this.#recent.push(item)
    this.size += items.length
    if (this.#recent.length > IN_MEMORY) await this.#store(this.#recent.splice(0))
  }

  /** The items, at most `most` at once. */
  async *batches(most: number): AsyncGenerator<readonly T[]> {
    for (const place of this.#places) yield* inParts(await this.#read(place), most)
    yield* inParts(this.#recent, most)
  }

  /** Gives its place on the disk free. */
  async close(): Promise<void> {
    this.#recent = []
    this.#places = []
    await (await this.#file)?.close()
    this.#file = undefined
  }

  async #store(items: readonly T[]): Promise<void> {
    const bytes = serialize(items)
    this.#file ??= this.#folder.newFile()
    const at = this.#end
    this.#end += bytes.length
    this.#places.push({ at, length: bytes.length })
    await (await this.#file).writev([bytes], at).catch(error => {
      throw storageError(error)
    })
  }

  async #read({ at, length }: Place): Promise<readonly T[]> {
    const file = await this.#file
    if (!file) return []
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, at)
    return deserialize(buffer) as readonly T[]
  }
}

function* inParts<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most)
}
