/** A problem that the user of the command can solve. The user sees only its message. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** 2 for a wrong command line, 1 for a command that failed. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
