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

/** A name in a sentence. */
export function quote(name: string): string {
  return `"${name}"`
}
