/** A string of JSON, with its colon if it is a key. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** The end of a key with an escape; in a text that quotes some JSON, that of a value as well. */
const ESCAPED_KEY = /\\.[^"\\]*"\s*:/

/**
 * `JSON.parse` for text that others wrote. V8 takes one key for another where a key has an escape: after
 * `{"a":1,"\\":1}`, the key in `{"a":1,"\"":1}` is read as a backslash (https://github.com/nodejs/node/issues/63785,
 * Node 24 to 26). What it reads by mistake has a backslash, from before the escape was decoded; where any key has one,
 * keys with escapes are read by themselves and put in afterwards.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!ESCAPED_KEY.test(text) || !hasBackslashKey(value)) return value
  const names = new Map<string, string>()
  const mark = unusedIn(text)
  const unescaped = text.replace(STRING, (string: string, colon?: string) => {
    if (colon === undefined || !string.includes('\\')) return string
    const name = `${mark}${names.size}`
    names.set(name, JSON.parse(string.slice(0, -colon.length)) as string)
    return `"${name}"${colon}`
  })
  const renamed: unknown = JSON.parse(unescaped)
  for (const object of objectsIn(renamed)) rename(object, names)
  return renamed
}

function hasBackslashKey(value: unknown): boolean {
  for (const object of objectsIn(value)) for (const key in object) if (key.includes('\\')) return true
  return false
}

/** All objects of a value. Not by recursion: how deep it is nested is for others to judge. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  const waiting: object[] = []
  const add = (item: unknown) => {
    if (typeof item === 'object' && item !== null) waiting.push(item)
  }
  add(value)
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    if (Array.isArray(item)) item.forEach(add)
    else {
      const object = item as Record<string, unknown>
      for (const key in object) add(object[key])
      yield object
    }
  }
}

function unusedIn(text: string): string {
  let mark = '~'
  while (text.includes(mark)) mark += '~'
  return mark
}

/** Puts names back, in the order of the keys; of a key that is given twice the last one counts, as ever. */
function rename(object: Record<string, unknown>, names: ReadonlyMap<string, string>): void {
  const entries = Object.entries(object)
  if (!entries.some(([key]) => names.has(key))) return
  for (const [key] of entries) delete object[key]
  for (const [key, value] of entries) {
    // By definition, not by assignment, which `__proto__` would turn into something else.
    Object.defineProperty(object, names.get(key) ?? key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
}
