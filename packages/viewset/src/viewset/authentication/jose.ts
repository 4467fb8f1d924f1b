import { createRequire } from 'node:module'
import { ConfigError } from '../../core/errors.ts'

export type Jose = typeof import('jose')

export function loadJose(): Promise<Jose> {
  return import('jose')
}

/** @throws ConfigError if `jose` is not installed: at start, not with the first token */
export function requireJose(resolve: (name: string) => string = createRequire(import.meta.url).resolve): void {
  try {
    resolve('jose')
  } catch {
    throw new ConfigError('bearerJwt', 'jose', 'the package is not installed; run npm install jose')
  }
}
