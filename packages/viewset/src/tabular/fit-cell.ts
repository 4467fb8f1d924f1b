import type { TabularWarning } from './writer.ts'

/** Excel's limit for the text of a cell, in UTF-16 units; a longer one makes a workbook "corrupt". */
const LONGEST = 32_767

/** Stands at the end of a text that was cut. */
const CUT = '… [cut]'

/** `text`, cut to the length that a cell can hold. Calls `onCut` if it was longer. */
export function fitCell(text: string, onCut: () => void): string {
  if (text.length <= LONGEST) return text
  onCut()
  return text.slice(0, LONGEST - CUT.length).toWellFormed() + CUT
}

/** What there is to say about cells that were cut. */
export function cutWarning(cuts: number): TabularWarning {
  const message =
    cuts === 1
      ? '1 cell had more than 32,767 characters and was cut.'
      : `${cuts} cells had more than 32,767 characters and were cut.`
  return { code: 'text_cut', message }
}
