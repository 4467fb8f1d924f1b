/** What a command has to say in the end. */
export interface Printed {
  readonly text: string
  /** 0 where all is done, 1 where a part is not. */
  readonly exitCode: 0 | 1
}
