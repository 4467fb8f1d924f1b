/** Characters that file systems and headers reject, and marks that change the text direction. */
const UNFIT = /[\\/:*?"<>|\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Makes a file name: no folders, no control characters, and the extension at the end.
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
 * The `Content-Disposition` of a download (RFC 6266): an ASCII name for old clients and, if that loses characters, the
 * full name too.
 *
 * @example
 * attachment('städte.csv') // `attachment; filename="st_dte.csv"; filename*=UTF-8''st%C3%A4dte.csv`
 */
export function attachment(name: string): string {
  // Old clients decode percent signs.
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const header = `attachment; filename="${ascii}"`
  if (ascii === name) return header
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${header}; filename*=UTF-8''${encoded}`
}
