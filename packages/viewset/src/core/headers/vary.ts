/**
 * Adds the names to `Vary` that other code has set, such as `Origin` by a CORS plugin. Without them, a cache could give one
 * client the answer to another.
 */
export function withVary<T extends Readonly<Record<string, string | readonly string[]>>>(
  headers: T,
  before: unknown,
): T {
  const { vary } = headers
  if (vary === undefined || before === undefined) return headers
  const names = [before, vary].flat().flatMap(value => String(value).split(','))
  return { ...headers, vary: [...new Set(names.map(name => name.trim()))].filter(Boolean).join(', ') }
}
