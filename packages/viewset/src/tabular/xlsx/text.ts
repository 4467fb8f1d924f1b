// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML 1.0 cannot hold.
const UNSAFE = /[&<>"\x00-\x08\x0B-\x1F\uD800-\uDFFF\uFFFE\uFFFF]|_x[0-9A-Fa-f]{4}_/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; a carriage return would come back as a line feed.
const ILLEGAL = /[\x00-\x08\x0B-\x1F\uFFFE\uFFFF]/g
const LOOKS_ESCAPED = /_(?=x[0-9A-Fa-f]{4}_)/g

/**
 * Text for an XML element or attribute of a workbook. What XML 1.0 cannot hold is written `_xHHHH_`, as Excel does, and
 * so is the underscore of a text that happens to look like that; half surrogate pairs become U+FFFD.
 */
export function xmlText(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text
    .toWellFormed()
    .replace(LOOKS_ESCAPED, '_x005F_')
    .replace(ILLEGAL, character => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** The width of text in a spreadsheet, in characters: its longest line, with East Asian characters counted twice. */
export function displayWidth(text: string): number {
  if (!/[\n\u1100-\uFFFF]/.test(text)) return text.length
  let widest = 0
  let width = 0
  // What is longer than this fills any column.
  for (const character of text.slice(0, 500)) {
    if (character === '\n') width = 0
    else width += /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]/.test(character) ? 2 : 1
    if (width > widest) widest = width
  }
  return widest
}
