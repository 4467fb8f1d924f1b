let segmenter: Intl.Segmenter | undefined

/**
 * What readers take for single letters: characters with their marks and joiners.
 *
 * @example
 * graphemes('e\u0301a') // ['e\u0301', 'a']
 */
export function graphemes(text: string): string[] {
  // Made when it is needed: it takes longer than a page of text that does not need it.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}
