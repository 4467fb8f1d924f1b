/** The remedy in errors about `undefined`: in a circle of imports, a module reads exports that do not exist yet. */
export const CIRCULAR_IMPORT = 'if two files import each other, move what both need into a third one'

/**
 * The application is configured wrongly. Thrown at start, never by a request.
 *
 * @example
 * throw new ConfigError('ArticleViewSet', 'ordering', 'unknown field "titel"; did you mean "title"?')
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The misconfigured resource, serializer or table. */
  readonly subject: string
  /** The wrong setting. */
  readonly key: string

  constructor(subject: string, key: string, problem: string) {
    super(`${subject}: ${key}: ${problem}`)
    this.subject = subject
    this.key = key
  }
}

/** The name of a wrong value in an error message. Contents of objects are left out. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `the text "${value}"`
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Promise) return 'a promise'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
