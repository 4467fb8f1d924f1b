/**
 * Makes texts equal that differ only in case, letter by letter as PostgreSQL's `lower` does. JavaScript looks further:
 * it gives Σ another small letter at the end of a word, and two to İ.
 *
 * @example
 * foldCase('ΟΔΟΣ') // 'οδοσ'
 */
export function foldCase(text: string): string {
  return text.replaceAll('Σ', 'σ').replaceAll('İ', 'i').toLowerCase()
}
