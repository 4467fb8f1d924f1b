import { setImmediate as pause } from 'node:timers/promises'
import type { RawRow } from '../driver.ts'

/** Rows in batches, with a turn for others after each. `took` is told how many milliseconds each has taken. */
export async function* inBatches(
  source: Iterable<RawRow>,
  batch: number,
  took: (time: number) => void = () => {},
): AsyncGenerator<readonly RawRow[]> {
  let rows: RawRow[] = []
  let start = performance.now()
  for (const row of source) {
    rows.push(row)
    if (rows.length < batch) continue
    took(performance.now() - start)
    yield rows
    // Nothing waits for SQLite: a reader who takes everything at once would have the process for itself.
    await pause()
    rows = []
    start = performance.now()
  }
  took(performance.now() - start)
  if (rows.length > 0) yield rows
}
