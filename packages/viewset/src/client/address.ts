/** One part of a path. @throws TypeError for what no address can have. */
export function segment(value: unknown): string {
  const text = String(value ?? '')
  // An address with such a part would be another one: of the list, or of what stands above it.
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" cannot be a part of an address`)
  return encodeURIComponent(text)
}

/** A path whose parts such as `:author` have their values. */
function fill(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => segment(values[name]))
}

/**
 * A path with values to come: `make` is called at once where it has none of them, else with the path once they are
 * known.
 */
export function whenFilled<T>(
  path: string,
  make: (path: string) => T,
): T | ((values: Readonly<Record<string, unknown>>) => T) {
  return path.includes(':') ? values => make(fill(path, values)) : make(path)
}
