import { ConfigError } from 'viewset'
import { expect } from 'vitest'

/** The text of the ConfigError that `fn` must throw; what TypeScript refuses already is passed as `never`. */
export function problemOf(fn: () => unknown): string {
  try {
    fn()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error('nothing was refused')
}
