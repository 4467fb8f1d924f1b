import { createHash } from 'node:crypto'
import type { ReadSheet } from '../../tabular/read/file.ts'
import { errorsColumnAt, leadingErrors } from '../failed/failed-rows.ts'
import { headerKey } from '../plan/headers.ts'
import { HeaderPositions } from '../read/sheet-names.ts'

/**
 * Equal for files to which one mapping fits. A mapping names columns by their headers, so their order, letter case and
 * outer blanks do not matter. A column without a header is named by its place. The columns
 * of errors at its begin and end do not count.
 */
export function headerFingerprint(sheets: readonly Pick<ReadSheet, 'name' | 'header'>[]): string {
  const headers = sheets.map(({ name, header }) => {
    const names = new HeaderPositions(header).names().slice(leadingErrors(header))
    if (errorsColumnAt(names) !== -1) names.pop()
    // The name of a single sheet often has a date.
    return [sheets.length > 1 ? headerKey(name) : '', ...names.map(headerKey).toSorted()]
  })
  const sorted = headers.map(names => JSON.stringify(names)).toSorted()
  return createHash('sha256').update(sorted.join('\n')).digest('hex')
}
