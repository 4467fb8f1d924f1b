import { insertMany } from 'viewset'
import type { ApiOptions } from 'viewset/http'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import type { Face } from './face.ts'
import { notes } from './sample-api.ts'
import { StartedFace } from './started-face.ts'

/** The rules of one face share a database and an API. */
export class FaceContext {
  readonly #face: Face
  #database: Promise<TestDatabase> | undefined
  #api: Promise<StartedFace> | undefined

  constructor(face: Face) {
    this.#face = face
  }

  /** The API with its defaults. Rules must not change it. */
  api(): Promise<StartedFace> {
    this.#api ??= this.#start({ settings: { COMMON: { IMPORT_MAX_FILE_SIZE: 100_000 } } })
    return this.#api
  }

  /** Runs `check` with a separate API. */
  async with(options: Partial<ApiOptions>, check: (api: StartedFace) => Promise<void>): Promise<void> {
    const api = await this.#start(options)
    try {
      await check(api)
    } finally {
      await api.close()
    }
  }

  /** Replaces all stored notes. */
  async store(texts: readonly string[]): Promise<void> {
    const { database, clear } = await this.#open()
    await clear()
    await database.transaction(() =>
      insertMany(
        notes,
        texts.map(text => ({ text })),
      ),
    )
  }

  async close(): Promise<void> {
    await (await this.#api)?.close()
    await (await this.#database)?.drop()
  }

  #open(): Promise<TestDatabase> {
    this.#database ??= createTestDatabase({ schema: { notes } })
    return this.#database
  }

  async #start(options: Partial<ApiOptions>): Promise<StartedFace> {
    return StartedFace.start(this.#face, (await this.#open()).database, options)
  }
}

/** The checks of a face by the sentence that states the rule. */
export type FaceRules = Readonly<Record<string, (context: FaceContext) => Promise<void>>>
