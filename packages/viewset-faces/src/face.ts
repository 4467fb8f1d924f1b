import type { ApiOptions, Logger } from 'viewset/http'

/** What a face is started with: all of it belongs into the API that it serves. */
export interface FaceOptions extends ApiOptions {
  /** Starts with a slash, or is empty; it may have parameters: `/:tenant/api`. */
  readonly prefix: string
  readonly logger: Logger
}

/** A face that serves. */
export interface FaceServer {
  /** Scheme, host and port: `http://127.0.0.1:4711`. */
  readonly url: string
  /** Stops as an application does: the API first, which answers what is under way, then the server. */
  close(): Promise<void>
}

/** A face, in the words that the rules need. */
export interface Face {
  readonly name: string
  /** Serves an API at a free port of 127.0.0.1. */
  start(options: FaceOptions): Promise<FaceServer>
  /** Whether what is no HTTP gets an envelope as well, as from a server of `prepareServer`. Default `false`. */
  readonly answersMalformed?: boolean
}

/** What the rules need of a test runner: node:test, Vitest and Jest have it, some of them by another name. */
export interface TestRunner {
  describe(name: string, suite: () => void): unknown
  test(name: string, rule: () => Promise<void>): unknown
  /** Calls `hook` after the last test of a suite: Vitest's `afterAll`. */
  after(hook: () => Promise<void>): unknown
}
