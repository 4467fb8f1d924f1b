/** What a message calls a value that was given in place of another: objects without what is in them. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `the text "${value}"`
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
