/** What file systems and headers cannot take, and the marks that turn the direction of what is read. */
const UNFIT = /[\\/:*?"<>|\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * A file's name from what somebody called it: no folders, no control characters, and the extension behind it.
 *
 * @example
 * fileName('../Q1 "final"', 'csv') // '_Q1 _final_.csv'
 */
export function fileName(wanted: string, extension: string): string {
  const name = wanted
    .toWellFormed()
    .replace(UNFIT, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  return name.toLowerCase().endsWith(`.${extension}`) ? name : `${name || 'file'}.${extension}`
}

/**
 * The header that makes a client save a response as a file (RFC 6266): the name in ASCII for old clients and, where
 * that loses something, the whole name for all others.
 *
 * @example
 * attachment('städte.csv') // `attachment; filename="st_dte.csv"; filename*=UTF-8''st%C3%A4dte.csv`
 */
export function attachment(name: string): string {
  // Old clients take a percent sign for an escape.
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const header = `attachment; filename="${ascii}"`
  if (ascii === name) return header
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${header}; filename*=UTF-8''${encoded}`
}
