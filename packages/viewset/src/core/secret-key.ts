import { randomBytes } from 'node:crypto'
import type { ApiSettings } from './settings.ts'

/** The key of this process, where the settings have none. */
let ownKey: string | undefined

/**
 * The key for what clients send back as they were given it: the setting `SECRET_KEY` or, with a warning, one that lasts
 * as long as the process.
 */
export function secretKey({ COMMON: { SECRET_KEY } }: ApiSettings): string {
  if (SECRET_KEY !== null) return SECRET_KEY
  if (ownKey === undefined) {
    ownKey = randomBytes(32).toString('hex')
    process.emitWarning(
      'Cursors are signed with a key that this process has made up, so no other process takes them, nor this one after ' +
        'a restart. Set COMMON.SECRET_KEY (or COMMON_SECRET_KEY in the environment) to the same secret text of at ' +
        'least 32 characters in all processes.',
      { type: 'viewset', code: 'VIEWSET_SECRET_KEY' },
    )
  }
  return ownKey
}
