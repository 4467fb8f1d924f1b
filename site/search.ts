/*
 * The search of the site. The browser gets the text of `wordsOf`, `indexedWordsOf` and `weightOf`, so they use nothing from
 * outside of themselves.
 */

/** The words of a text. `If-Match` and `append_data` are one word each. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? []
}

/** The words of a page, by which it is found: of `If-Match`, also the parts. */
export function indexedWordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? []
  return words.flatMap(word => (/[-_]/.test(word) ? [word, ...word.split(/[-_]/)] : [word]))
}

/** The weight of a section in a search: a guide page explains, a recipe is about one task, the reference lists. */
export function weightOf(address: string): number {
  if (address.includes('/reference/')) return 0.02
  return address.includes('/cookbook/') ? 0.5 : 1
}

/** A section of a page, as the index has it. */
interface Indexed {
  /** The address of the page, with the anchor of the section behind `#`. */
  readonly id: string
  readonly title: string
  readonly titles: readonly string[]
  readonly text: string
}

/**
 * The options of the index. `keywordsOf` returns the keywords of an address; the index asks for each section, and the first
 * one of a page has them.
 */
export function searchOptions(keywordsOf: (address: string) => string) {
  const options = {
    fields: ['title', 'titles', 'text', 'keywords'],
    tokenize: indexedWordsOf,
    extractField: (section: Indexed, field: string) =>
      field === 'keywords' ? keywordsOf(section.id) : section[field as keyof Indexed],
  }
  const boost = { keywords: 40, title: 6, titles: 2, text: 1 }
  return { options, searchOptions: { tokenize: wordsOf, boostDocument: weightOf, boost, prefix: true, fuzzy: 0.1 } }
}
