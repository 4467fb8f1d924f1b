import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A file that the reference page loads: read when somebody asks for it first, and kept. */
export class PageFile {
  readonly name: string
  readonly contentType: string
  readonly #path: string
  #content: Buffer | undefined
  #version: string | undefined

  constructor(name: string, contentType: string, path: string) {
    this.name = name
    this.contentType = contentType
    this.#path = path
  }

  get content(): Buffer {
    this.#content ??= readFileSync(this.#path)
    return this.#content
  }

  /** Another one for another content. */
  get version(): string {
    this.#version ??= createHash('sha256').update(this.content).digest('hex').slice(0, 16)
    return this.#version
  }

  /** Its address as the page knows it: what is loaded from there never changes. */
  get link(): string {
    return `${this.name}?v=${this.version}`
  }
}
