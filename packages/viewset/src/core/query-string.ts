/**
 * Changes parameters of a query string and keeps all others as they were written, in their order.
 *
 * @example
 * replaceParameters('page=2&ordering=name', { page: '3' }) // 'ordering=name&page=3'
 */
export function replaceParameters(search: string, changes: Readonly<Record<string, string | undefined>>): string {
  const kept = search === '' ? [] : search.split('&').filter(part => !Object.hasOwn(changes, parameterName(part)))
  for (const [name, value] of Object.entries(changes)) {
    if (value !== undefined) kept.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  return kept.join('&')
}

/** A query string with nothing but these parameters, as they were written. */
export function onlyParameters(search: string, names: readonly string[]): string {
  return search
    .split('&')
    .filter(part => names.includes(parameterName(part)))
    .join('&')
}

function parameterName(part: string): string {
  const end = part.indexOf('=')
  const name = end === -1 ? part : part.slice(0, end)
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
