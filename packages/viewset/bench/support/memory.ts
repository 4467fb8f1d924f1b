import { readFileSync, writeFileSync } from 'node:fs'

/** From here on, the highest value of {@link peakMemory} counts anew, where the system can do that (Linux). */
export function forgetPeak(): void {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
}

/** The most memory that this process has held, in bytes. */
export function peakMemory(): number {
  // Not `maxRSS`, which Linux lets a process begin with what the one that started it held.
  return process.platform === 'linux' ? statusOf('self', 'VmHWM') : process.resourceUsage().maxRSS * 1_024
}

/** The memory that a process holds, in bytes; NaN on other systems than Linux. */
export function residentMemory(processId: number | 'self'): number {
  return process.platform === 'linux' ? statusOf(processId, 'VmRSS') : Number.NaN
}

function statusOf(processId: number | 'self', line: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1]) * 1_024
}
