/** A string of JSON, with what follows it if that makes it a key. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

/**
 * `JSON.parse` for text that others wrote. V8 takes one key for another where a key has an escape: after
 * `{"a":1,"\\":1}`, the key in `{"a":1,"\"":1}` is read as a backslash (https://github.com/nodejs/node/issues/63785,
 * Node 24 to 26). Such keys, which are rare, are read without their objects and put in afterwards.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!text.includes('\\')) return value
  const names = new Map<string, string>()
  const mark = unusedIn(text)
  const unescaped = text.replace(STRING, (string: string, colon?: string) => {
    if (colon === undefined || !string.includes('\\')) return string
    const name = `${mark}${names.size}`
    names.set(name, JSON.parse(string.slice(0, -colon.length)) as string)
    return `"${name}"${colon}`
  })
  return names.size === 0 ? value : renamed(JSON.parse(unescaped), names)
}

function unusedIn(text: string): string {
  let mark = '~'
  while (text.includes(mark)) mark += '~'
  return mark
}

/** The value with its keys put back, in their order; of a key that is given twice the last one counts, as ever. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(item => renamed(item, names))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names.get(key) ?? key, renamed(item, names)]))
}
