import type { ReadFile } from '../../tabular/read/file.ts'
import type { ImportedSheet } from './sheet-layout.ts'

/** The rows of the sheets that are imported, counted in a pass of their own. */
export async function countRows(open: () => Promise<ReadFile>, sheets: readonly ImportedSheet[]): Promise<number> {
  const file = await open()
  try {
    let total = 0
    for (const { position } of sheets)
      for await (const rows of file.sheets[position]?.rows([]) ?? []) total += rows.length
    return total
  } finally {
    await file.close()
  }
}
