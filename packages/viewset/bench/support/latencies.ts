import { setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two requests of the neighbour. */
const PAUSE = 2

/** How long one request takes again and again while something else goes on, in milliseconds; and what came of that. */
export async function latenciesDuring<T>(
  url: string,
  during: () => Promise<T>,
): Promise<{ readonly times: readonly number[]; readonly result: T }> {
  const times: number[] = []
  let isOver = false
  const over = during().finally(() => {
    isOver = true
  })
  // It is awaited below. A failure before would be unheard, and end the process without its cleaning up.
  over.catch(() => {})
  while (!isOver) {
    const start = performance.now()
    const response = await fetch(url)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
    times.push(performance.now() - start)
    await sleep(PAUSE)
  }
  return { times, result: await over }
}
