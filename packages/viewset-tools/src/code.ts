export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

export function sqlTemplate(text: string): string {
  return `sql\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``
}

/** For a comment of one line: a line break in a name would end the comment, and the rest would be code. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ')
}

/** `''` if no option is given. */
export function options(given: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  return written.length > 0 ? `{ ${written.join(', ')} }` : ''
}

/** Types come last, as in the order of formatters. */
export function importLine(names: readonly string[], from: string): string {
  const plain = (name: string) => name.replace('type ', '')
  const sorted = [...new Set(names)].sort((a, b) => (plain(a) < plain(b) ? -1 : 1))
  return `import { ${sorted.join(', ')} } from '${from}'`
}
