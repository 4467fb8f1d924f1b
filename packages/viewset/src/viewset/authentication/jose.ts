import { createRequire } from 'node:module'
import { ConfigError } from '../../core/errors.ts'

export type Jose = typeof import('jose')

/** The package `jose`, which only those need who use JWTs. It is loaded when the first token comes. */
export function loadJose(): Promise<Jose> {
  return import('jose')
}

/** @throws ConfigError when `jose` is not installed: at start, and not when the first token comes. */
export function requireJose(resolve: (name: string) => string = createRequire(import.meta.url).resolve): void {
  try {
    resolve('jose')
  } catch {
    throw new ConfigError('bearerJwt', 'jose', 'the package is not installed; run npm install jose')
  }
}
