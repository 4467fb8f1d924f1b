// A spreadsheet may run a text as a formula. Such a text begins with one of four signs, their full-width forms, or
// blanks that some programs skip. Leading quotes count too, so that removing one always restores the original.
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const NEUTRALISED = /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Prefixes a `'` to text that a spreadsheet would run as a formula.
 *
 * @example
 * neutraliseFormula('=1+1') // "'=1+1"
 */
export function neutraliseFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** `="00123"`: programs write a text so that spreadsheets do not take it for a number. */
const AS_FORMULA = /^="([^"]*)"$/

/** The text of a cell that a program has written as a formula, or kept from being one. */
export function restoreFormula(cell: string): string {
  if (cell.startsWith("'")) return NEUTRALISED.test(cell) ? cell.slice(1) : cell
  return cell.startsWith('="') ? (AS_FORMULA.exec(cell)?.[1] ?? cell) : cell
}
