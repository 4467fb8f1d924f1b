/** A problem that the user of the command can solve. The user sees only its message. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** 2 for a wrong command line, 1 for a command that failed, 130 for a command that was stopped. */
  readonly exitCode: 1 | 2 | 130

  constructor(message: string, exitCode: 1 | 2 | 130 = 1, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}
