import { type Channel, channel } from 'node:diagnostics_channel'
import type { Server } from 'node:net'
import type { OpenApiDocument } from './openapi/options.ts'

/** An API that was made for a server. */
export interface RegistrationEvent {
  /** The server; `null` for a handler, which several servers may call. */
  readonly server: Server | null
  /** The start of all its paths. */
  readonly prefix: string
  /** Makes the OpenAPI document, even if no path serves it. */
  document(): Promise<OpenApiDocument>
}

/**
 * Publishes each registered API, for tools that look at all APIs of a process: a `diagnostics_channel` of Node with the
 * name `viewset.registration`.
 *
 * @example
 * registrations.subscribe(async event => {
 *   const { document } = event as RegistrationEvent
 *   await writeFile('openapi.json', JSON.stringify(await document()))
 * })
 */
export const registrations: Channel = channel('viewset.registration')
