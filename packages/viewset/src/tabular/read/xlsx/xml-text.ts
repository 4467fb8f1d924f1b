import { TabularError } from '../../errors.ts'

const SPACE = 0x20

/** The value of an attribute, its prefix included in `name`. */
export function attribute(tag: string, name: string): string | undefined {
  for (let at = tag.indexOf(name); at !== -1; at = tag.indexOf(name, at + 1)) {
    if (tag.charCodeAt(at - 1) > SPACE) continue
    let start = at + name.length
    while (tag.charCodeAt(start) <= SPACE) start++
    if (tag[start++] !== '=') continue
    while (tag.charCodeAt(start) <= SPACE) start++
    const quote = tag[start++]!
    const end = tag.indexOf(quote, start)
    return end === -1 ? undefined : decoded(tag.slice(start, end))
  }
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/**
 * Text with its entities replaced and its line ends as XML has them.
 *
 * @throws TabularError `unreadable` for an entity that XML does not define by itself
 */
export function decoded(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replace(/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w*));?/g, (_, hexadecimal, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? unknownEntity()
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : unknownEntity()
  })
}

function unknownEntity(): never {
  throw new TabularError('unreadable', 'The workbook uses an XML entity that workbooks must not have.')
}

/** Text of a cell: `_x000D_` stands for a character that XML cannot hold. */
export function cellText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
