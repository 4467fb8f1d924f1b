/** Something that the person at the command line can put right; its message is all they need to see. */
export class CliError extends Error {
  override readonly name = 'CliError'
  /** 2 for a command that is written wrongly, 1 for one that cannot be done, 130 for one that was stopped. */
  readonly exitCode: 1 | 2 | 130

  constructor(message: string, exitCode: 1 | 2 | 130 = 1, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}
