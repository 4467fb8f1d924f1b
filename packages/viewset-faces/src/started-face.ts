import type { Database } from 'viewset'
import type { ApiOptions } from 'viewset/http'
import { TestResponse } from 'viewset/testing'
import type { Face, FaceServer } from './face.ts'
import { RawConnection } from './raw-connection.ts'
import { SampleApi } from './sample-api.ts'

/** A response of any client. */
export type Answer = Pick<TestResponse, 'status' | 'headers' | 'text' | 'bytes' | 'envelope' | 'data'>

/** The details of a log entry with their message. */
export type LogEntry = Readonly<Record<string, unknown>>

/** A face that serves the sample API. */
export class StartedFace {
  readonly sample: SampleApi
  readonly log: readonly LogEntry[]
  readonly url: string
  readonly #server: FaceServer
  #closing: Promise<void> | undefined

  private constructor(sample: SampleApi, server: FaceServer, prefix: string, log: readonly LogEntry[]) {
    this.sample = sample
    this.log = log
    this.url = server.url + prefix
    this.#server = server
  }

  static async start(
    face: Face,
    database: Database,
    { prefix = '/v1/api', ...options }: Partial<ApiOptions>,
  ): Promise<StartedFace> {
    const sample = new SampleApi()
    const log: LogEntry[] = []
    const write = (details: unknown, message?: string) => {
      log.push({ ...(details as object), message })
    }
    const server = await face.start({
      database,
      resources: sample.resources,
      authenticate: sample.authenticate,
      logger: { error: write, warn: write },
      prefix,
      ...options,
    })
    return new StartedFace(sample, server, prefix.replace(':tenant', 'acme'), log)
  }

  /** Requests a path behind the prefix, and reads the whole response. */
  async ask(path: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(this.url + path, init)
    const cookies = response.headers.getSetCookie()
    const headers = { ...Object.fromEntries(response.headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) }
    return new TestResponse(response.status, headers, Buffer.from(await response.arrayBuffer()))
  }

  /** A text is sent unchanged, any other value as JSON. */
  send(method: string, path: string, value: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const body = typeof value === 'string' ? value : JSON.stringify(value)
    return this.ask(path, { method, body, headers: { 'content-type': 'application/json', ...headers } })
  }

  connect(): RawConnection {
    return new RawConnection(Number(new URL(this.url).port))
  }

  /** The head of a request as bytes of HTTP/1.1. */
  head(method: string, path: string, ...headers: readonly string[]): string {
    const { pathname } = new URL(this.url)
    const target = (pathname === '/' ? '' : pathname) + path
    return [`${method} ${target} HTTP/1.1`, 'host: localhost', ...headers, '', ''].join('\r\n')
  }

  close(): Promise<void> {
    this.#closing ??= this.#server.close()
    return this.#closing
  }
}
