/** What is asked of every peer, in the order of the table. */
export const OPERATIONS = ['list', 'get', 'post', 'bulk', 'import', 'export'] as const
export type Operation = (typeof OPERATIONS)[number]

/** A row of the table: what an API costs. */
export interface PeerResult {
  readonly name: string
  readonly version: string
  /** CPU ms of a request, the median of the rounds; `null` for what it cannot do. */
  readonly cpu: Readonly<Record<Operation, number | null>>
  /** From the start of the process to its first answer, ms of wall-clock time, and of CPU. */
  readonly startMs: number
  readonly startCpuMs: number
  /** Resident after the first answer, MB. */
  readonly memory: number
  /** Of application code. */
  readonly lines: number
}
