import { type Channel, channel } from 'node:diagnostics_channel'
import type { Server } from 'node:net'
import type { OpenApiDocument } from './openapi/options.ts'

/** An API that has been made for a server. */
export interface RegistrationEvent {
  /** The server, where the API is made for one; a handler may be called by any. */
  readonly server: Server | null
  /** What stands before all of its paths. */
  readonly prefix: string
  /** Makes the document of the API, also where no address answers it. */
  document(): Promise<OpenApiDocument>
}

/**
 * Tells of each API that is registered, for tools that look at all APIs of a process: a `diagnostics_channel` of Node
 * with the name `viewset.registration`.
 *
 * @example
 * registrations.subscribe(async event => {
 *   const { document } = event as RegistrationEvent
 *   await writeFile('openapi.json', JSON.stringify(await document()))
 * })
 */
export const registrations: Channel = channel('viewset.registration')
