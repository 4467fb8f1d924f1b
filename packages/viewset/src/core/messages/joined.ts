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
