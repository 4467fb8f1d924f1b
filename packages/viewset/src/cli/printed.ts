export interface Printed {
  readonly text: string
  /** 1 if a part of the work failed. */
  readonly exitCode: 0 | 1
}
