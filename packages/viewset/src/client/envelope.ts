/** The standard response envelope, with `data` as the endpoint gives it; an answer may have further keys. */
export interface Envelope<T> {
  readonly success: boolean
  readonly timestamp: string
  readonly message: string
  readonly data: T
  /** The number of results, where a list is cut into pages by a style that counts them. */
  readonly count?: number | null
  readonly next?: string | null
  readonly previous?: string | null
  /** Messages by field, on 400 and 409. */
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly [key: string]: unknown
}

/** Whether an answer is the API's. */
export function isEnvelope(value: unknown): value is Envelope<unknown> {
  return typeof value === 'object' && value !== null && 'success' in value && 'data' in value
}
