/** A string with its colon, if it is a key. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/** Also matches the end of some values that quote JSON. */
const ESCAPED_KEY = /\\.[^"\\]*"\s*:/

/**
 * `JSON.parse` without a bug of V8. V8 mistakes keys that contain an escape: after `{"a":1,"\\":1}`, the key in
 * `{"a":1,"\"":1}` is read as a backslash (https://github.com/nodejs/node/issues/63785, Node 24 to 26). A wrong key
 * always contains a backslash. If any key does, keys with escapes are replaced before parsing and put back afterwards.
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

/** All objects of a value. Without recursion, because the depth is not checked yet. */
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

/** Of a repeated key, the last value counts. */
function rename(object: Record<string, unknown>, names: ReadonlyMap<string, string>): void {
  const entries = Object.entries(object)
  if (!entries.some(([key]) => names.has(key))) return
  for (const [key] of entries) delete object[key]
  for (const [key, value] of entries) {
    // An assignment to `__proto__` would set the prototype.
    Object.defineProperty(object, names.get(key) ?? key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
}
