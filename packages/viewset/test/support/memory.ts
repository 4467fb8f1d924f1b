import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Megabytes of JavaScript objects that `fn` leaves behind. */
export async function megabytesKept(fn: () => Promise<unknown>): Promise<number> {
  const before = await megabytesUsed()
  await fn()
  return (await megabytesUsed()) - before
}

/** Megabytes of JavaScript objects that are in use. */
export async function megabytesUsed(): Promise<number> {
  // Injected requests are held until the event loop has gone round; what a finaliser frees goes the second time.
  for (let i = 0; i < 2; i++) {
    await nextTurn()
    collect()
  }
  return process.memoryUsage().heapUsed / 1024 ** 2
}
