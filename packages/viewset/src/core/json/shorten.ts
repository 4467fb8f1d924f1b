import { isExactNumber } from './scan.ts'

/**
 * Valid JSON text in its shortest form, without blanks and with numbers as JavaScript writes them. PostgreSQL's jsonb
 * has blanks, and 309 digits for 1.79e308. A number that a double would alter keeps its digits.
 *
 * @example
 * shortenJson('{"a": 1.50}') // '{"a":1.5}'
 */
export function shortenJson(json: string): string {
  let short = ''
  let rest = 0
  for (let i = 0; i < json.length; ) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = endOfString(json, i)
    else if (code <= SPACE) {
      short += json.slice(rest, i)
      rest = ++i
    } else if (isOfNumber(code)) {
      const start = i
      while (isOfNumber(json.charCodeAt(i))) i++
      const source = json.slice(start, i)
      const number = shortenNumber(source)
      if (number === source) continue
      short += json.slice(rest, start) + number
      rest = i
    } else i++
  }
  return rest === 0 ? json : short + json.slice(rest)
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return json.length
}

/** A digit or one of `+-.eE`. The `e` of `true` and `false` matches too and stays as it is. */
function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b
  )
}

/** A shorter integer has no shorter form. */
const SHORT = 15

function shortenNumber(source: string): string {
  if (source === 'e' || (source.length <= SHORT && !/[.eE]/.test(source))) return source
  return isExactNumber(source) ? String(Number(source)) : source
}
