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

export function restoreFormula(text: string): string {
  return text.startsWith("'") && NEUTRALISED.test(text) ? text.slice(1) : text
}
