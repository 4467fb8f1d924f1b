import type { ApiSettings } from '../core/settings.ts'
import type { ReadContext } from './kind.ts'

/** What the values of a request are read with. */
export function readContextOf({ COMMON }: ApiSettings): ReadContext {
  return { timeZone: COMMON.TIME_ZONE }
}
