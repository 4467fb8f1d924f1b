import { randomUUID } from 'node:crypto'
import { isRunning, PLACE, START } from '../core/processes.ts'

/** What jobs say of who has them, for as long as this process runs them. */
const live = new Set<string>()

/** Milliseconds after which a worker that cannot be seen from here, and has not been heard of, counts as ended. */
const LEASE = 60_000

const TOKEN = /^([0-9a-f]{8})-(\d+)-(\d+)-/

/** A name for one time that a job is run: it tells the place, the process and when that began. */
export function newWorkerToken(): string {
  const token = `${PLACE}-${process.pid}-${START}-${randomUUID()}`
  live.add(token)
  return token
}

/** The job is no longer run under this name. */
export function endWorkerToken(token: string): void {
  live.delete(token)
}

/** Whether the process that took a job has ended, as far as can be told from here. */
export function hasCrashed(token: string, seenAt: string | null): boolean {
  const [, place, pid, start] = TOKEN.exec(token) ?? []
  if (place === PLACE) return !isRunning(Number(pid), String(start))
  return seenAt === null || Date.parse(seenAt) < Date.now() - LEASE
}

/** Whether nobody runs the job that was taken under this name. */
export function isLeft(token: string, seenAt: string | null): boolean {
  return token.startsWith(`${PLACE}-${process.pid}-${START}-`) ? !live.has(token) : hasCrashed(token, seenAt)
}
