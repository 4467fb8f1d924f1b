/**
 * A list in a sentence.
 *
 * @example
 * joined(['a', 'b', 'c'], 'or') // 'a, b or c'
 */
export function joined(items: readonly string[], word: string): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${word} ${last}`
}

/**
 * Joins the texts whose count is above 0.
 *
 * @example
 * present([[3, '3 stored'], [0, '0 deleted']]) // '3 stored'
 */
export function present(counts: readonly (readonly [count: number, text: string])[], separator = ', '): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([, text]) => text)
    .join(separator)
}

/** A name in a sentence. */
export function quote(name: string): string {
  return `"${name}"`
}

/** These are spoken with a consonant, as in "a user" and "a European". */
const SPOKEN_WITH_CONSONANT = /^(eu|one\b|once|uni|u[rt][aeiou]|us[aeu]|u[a-z]?\b|uuid|url)/i
const SILENT_H = /^h(eir|our|onest|ono)/i

/** `city` -> `a city`, `event` -> `an event`, `user` -> `a user`. */
export function withArticle(noun: string): string {
  const isVowel = (/^[aeiou]/i.test(noun) && !SPOKEN_WITH_CONSONANT.test(noun)) || SILENT_H.test(noun)
  return `${isVowel ? 'an' : 'a'} ${noun}`
}
