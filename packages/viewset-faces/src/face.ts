import type { ApiOptions, Logger } from 'viewset/http'

/** The options for starting a face. Pass all of them to its API. */
export interface FaceOptions extends ApiOptions {
  /** Starts with a slash, or is empty. It may have parameters: `/:tenant/api`. */
  readonly prefix: string
  readonly logger: Logger
}

/** A running face. */
export interface FaceServer {
  /** Scheme, host and port: `http://127.0.0.1:4711`. */
  readonly url: string
  /** Stops like an application: first the API, which finishes its responses, then the server. */
  close(): Promise<void>
}

/** A face under test. */
export interface Face {
  readonly name: string
  /** Serves an API at a free port of 127.0.0.1. */
  start(options: FaceOptions): Promise<FaceServer>
  /** Whether invalid HTTP also gets an envelope, as from a server of `prepareServer`. Default `false`. */
  readonly answersMalformed?: boolean
}

/** The used part of a test runner. node:test, Vitest and Jest have these functions, some under another name. */
export interface TestRunner {
  describe(name: string, suite: () => void): unknown
  test(name: string, rule: () => Promise<void>): unknown
  /** Calls `hook` after the last test of a suite: Vitest's `afterAll`. */
  after(hook: () => Promise<void>): unknown
}
