import { Session } from 'node:inspector/promises'
import { partsOf, type TimeParts } from './profile-parts.ts'

/** A CPU profile of the process that it runs in, from `begin` to `end`. */
export class OwnProfile {
  readonly #inspector = new Session()

  async begin(): Promise<void> {
    this.#inspector.connect()
    await this.#inspector.post('Profiler.enable')
    await this.#inspector.post('Profiler.start')
  }

  /** Where the time has gone. */
  async end(): Promise<TimeParts> {
    const { profile } = await this.#inspector.post('Profiler.stop')
    this.#inspector.disconnect()
    return partsOf(profile)
  }
}
