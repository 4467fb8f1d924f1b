// A spreadsheet runs text as a formula when it starts with one of these: the four signs, their full-width twins, and
// the blanks that some programs skip. Quotes before it count too, so that taking one away always gives the original.
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/
const NEUTRALISED = /^'+[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/**
 * Text that a spreadsheet takes for text: a leading `'` is put before what it would run as a formula.
 *
 * @example
 * neutraliseFormula('=1+1') // "'=1+1"
 */
export function neutraliseFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The text that {@link neutraliseFormula} was given: takes away exactly the one `'` that it put there. */
export function restoreFormula(text: string): string {
  return text.startsWith("'") && NEUTRALISED.test(text) ? text.slice(1) : text
}
