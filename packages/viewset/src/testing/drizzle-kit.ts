import { createRequire } from 'node:module'
import { ConfigError } from '../core/errors.ts'

type DrizzleKit = typeof import('drizzle-kit/api')

/** drizzle-kit's own reading of a schema: tables in tests are what its migrations would make. */
export function drizzleKit(): DrizzleKit {
  try {
    // The CommonJS build loads in a fifth of the time.
    const kit = createRequire(import.meta.url)('drizzle-kit/api') as DrizzleKit
    // It adds a method to all arrays, which `for...in` of somebody else's code must not meet.
    if ('random' in Array.prototype) Object.defineProperty(Array.prototype, 'random', { enumerable: false })
    return kit
  } catch (cause) {
    const problem = 'needs the package drizzle-kit (npm install --save-dev drizzle-kit), or give migrations instead'
    throw Object.assign(new ConfigError('testing', 'schema', problem), { cause })
  }
}
