import type { ReadFile } from '../../tabular/read/file.ts'
import type { ImportCheckpoint, ImportProgress } from '../options.ts'
import { countRows } from '../read/row-source.ts'
import type { Layout } from '../read/sheet-layout.ts'
import { tallyOf } from './counts.ts'
import type { RunSettings } from './run-import.ts'

/** Reports the progress of an import. A separate pass counts the rows first. */
export async function progressOf(
  onProgress: ImportProgress | undefined,
  checkpoint: ImportCheckpoint | undefined,
  { sheets }: Layout,
  open: () => Promise<ReadFile>,
): Promise<RunSettings['progress']> {
  if (!onProgress && !checkpoint) return async () => {}
  const total = checkpoint?.total ?? (await countRows(open, sheets))
  if (checkpoint?.total === null) await checkpoint.count(total)
  return async counts => {
    checkpoint?.show(tallyOf(counts))
    await onProgress?.(counts.processed, total, counts.errors)
  }
}
