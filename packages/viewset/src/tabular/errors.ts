/** What is wrong with a file. */
export type TabularErrorCode =
  | 'missing_package'
  | 'too_many_rows'
  | 'too_large'
  | 'bad_font'
  | 'out_of_time'
  | 'wrong_format'
  | 'unreadable'
  | 'encrypted'

/**
 * A file cannot be written or read; `code` says why. Who calls decides what that means to a client.
 *
 * @example
 * if (error instanceof TabularError && error.code === 'too_many_rows') throw new ValidationError(error.message)
 */
export class TabularError extends Error {
  override readonly name = 'TabularError'
  readonly code: TabularErrorCode

  constructor(code: TabularErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
