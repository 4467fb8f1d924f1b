import type { Settings } from '../core/settings.ts'
import type { ReadContext } from './kind.ts'

/** What the values of a request are read with. */
export function readContextOf({ COMMON }: Settings): ReadContext {
  return { timeZone: COMMON.TIME_ZONE }
}
