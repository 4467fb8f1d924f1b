/** A text as a string in code. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A piece of SQL as the template in code that makes it. */
export function sqlTemplate(text: string): string {
  return `sql\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``
}

/** A text for a comment of one line: a name with a line break in it would end the comment, and the rest would be code. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029]+/g, ' ')
}

/** The object of options that are given, `''` where none is. */
export function options(given: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`))
  return written.length > 0 ? `{ ${written.join(', ')} }` : ''
}

/** An `import` of names, each once and in their order, types last as formatters have them. */
export function importLine(names: readonly string[], from: string): string {
  const plain = (name: string) => name.replace('type ', '')
  const sorted = [...new Set(names)].sort((a, b) => (plain(a) < plain(b) ? -1 : 1))
  return `import { ${sorted.join(', ')} } from '${from}'`
}
