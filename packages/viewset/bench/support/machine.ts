import { cpus } from 'node:os'

/** What the figures are of. */
export function machine(): string {
  return `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, ${new Date().toISOString().slice(0, 10)}`
}
