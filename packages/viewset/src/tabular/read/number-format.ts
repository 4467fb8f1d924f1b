import { serialMoment } from '../xlsx/serial.ts'
import { type ReadCell, SheetNumber } from './file.ts'
import { momentCell } from './found-row.ts'

/** How a cell shows its number; `undefined` if it shows nothing but the number. */
export type NumberFormat = 'moment' | ShownNumbers | undefined

interface ShownNumbers {
  readonly isCode: boolean
  /** The text in the cell; `undefined` if only a spreadsheet program knows it. */
  show(value: number): string | undefined
}

/** Built-in formats for dates and times. East Asian Excel uses those from 27 to 36 and from 50 on. */
const BUILT_IN_MOMENTS: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
]
const BUILT_IN_CODES: ReadonlyMap<number, string> = new Map([
  [9, '0%'],
  [10, '0.00%'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [46, '[h]:mm:ss'],
])

/** The formats of a workbook's styles. @param codes of the workbook's own formats; built-in ones have none */
export function numberFormats(ids: readonly number[], codes: ReadonlyMap<number, string>): readonly NumberFormat[] {
  const formats = new Map([...new Set(ids)].map(id => [id, numberFormat(id, codes.get(id))]))
  return ids.map(id => formats.get(id))
}

function numberFormat(id: number, own: string | undefined): NumberFormat {
  const code = own ?? BUILT_IN_CODES.get(id)
  if (code === undefined) return BUILT_IN_MOMENTS.some(([from, to]) => from <= id && id <= to) ? 'moment' : undefined
  const bare = code.replace(/"[^"]*"?|\\.|[_*]./g, '')
  const isElapsed = ELAPSED.test(bare)
  if (!isElapsed && /[ymdhs]/i.test(bare.replace(/\[[^\]]*\]?/g, '').replace(/General/gi, ''))) return 'moment'
  if (code.length > LONGEST_CODE) return undefined
  const sections = sectionsOf(code)
  if (isElapsed) return { isCode: false, show: value => shown(sections, value, elapsedTime) }
  return sections.some(addsText) ? { isCode: true, show: value => shown(sections, value, digits) } : undefined
}

/** Excel's limit. */
const LONGEST_CODE = 255

/** The cell of a number. @param text as in the file: the count of its digits may mean something */
export function numberCell(text: string, format: NumberFormat, countsFrom1904: boolean): ReadCell {
  const value = Number(text)
  if (format === undefined) return value
  if (format !== 'moment') return new SheetNumber(value, format.show(value), format.isCode)
  const moment = serialMoment(text, countsFrom1904)
  return moment === undefined ? value : momentCell(moment)
}

const ELAPSED = /\[(?:h+|m+|s+)\]/i

interface Part {
  readonly literal?: string
  readonly token?: string
}

interface Section {
  readonly condition: RegExpExecArray | undefined
  readonly parts: readonly Part[]
}

const SECTION = /(?:"[^"]*"?|\\.|\[[^\]]*\]?|[^;"\\[])+/g
const PART = /"([^"]*)"?|\\(.)|_(.)|([-+(): '$])|\[([^\]]*)\]?|General|E[+-]|h+|m+|s+|\.0+|[\s\S]/gi
const CONDITION = /^(<=|>=|<>|<|>|=)(-?[\d.]+)$/
const WITHOUT_TEXT = /^(?:\$-[0-9a-f]+|color ?\d+|black|blue|cyan|green|magenta|red|white|yellow)$/i

function sectionsOf(code: string): readonly Section[] {
  return (code.match(SECTION) ?? []).slice(0, 3).map(section => {
    const parts: Part[] = []
    let condition: RegExpExecArray | undefined
    for (const [whole, quoted, escaped, padding, plain, bracket] of section.matchAll(PART)) {
      const literal = quoted ?? escaped ?? (padding === undefined ? plain : ' ')
      if (literal !== undefined) parts.push({ literal })
      else if (bracket === undefined || ELAPSED.test(whole)) parts.push({ token: whole.toLowerCase() })
      else if (CONDITION.test(bracket)) condition = CONDITION.exec(bracket) ?? undefined
      else if (!WITHOUT_TEXT.test(bracket)) parts.push({ token: whole })
    }
    return { condition, parts }
  })
}

/** Whether people see more than a number: text, further zeros in front, or characters between the digits. */
function addsText({ parts }: Section): boolean {
  const end = parts.findIndex(({ token = '' }) => /^(?:\.|e)/.test(token))
  const whole = end === -1 ? parts : parts.slice(0, end)
  if (whole.filter(({ token }) => token === '0').length > 1) return true
  if (parts.some(({ literal = '', token = '' }) => /[^-() ]/.test(literal) || /[%/[]/.test(token))) return true
  const first = whole.findIndex(isDigit)
  const last = whole.findLastIndex(isDigit)
  return whole.slice(first + 1, Math.max(last, 0)).some(({ literal }) => literal !== undefined)
}

function isDigit({ token }: Part): boolean {
  return token === '0' || token === '#' || token === '?'
}

function shown(
  sections: readonly Section[],
  value: number,
  show: (parts: readonly Part[], value: number) => string | undefined,
): string | undefined {
  const isConditional = sections.some(({ condition }) => condition !== undefined)
  const [positive, negative, zero] = sections
  const section = isConditional
    ? sections.find(({ condition }) => condition === undefined || holds(condition, value))
    : ((value < 0 ? negative : value === 0 ? zero : undefined) ?? positive)
  const text = section && show(section.parts, Math.abs(value))?.trim()
  // The section of negative numbers has a sign of its own.
  return text && value < 0 && (isConditional || section === positive) ? `-${text}` : text || undefined
}

function holds([, operator, limit]: RegExpExecArray, value: number): boolean {
  const difference = value - Number(limit)
  if (difference === 0) return operator === '=' || operator === '<=' || operator === '>='
  return operator === '<>' || operator!.startsWith(difference < 0 ? '<' : '>')
}

/** The digits of a whole number in the places of a section. The first place takes all that are left. */
function digits(parts: readonly Part[], value: number): string | undefined {
  if (!Number.isSafeInteger(value) || parts.some(part => part.literal === undefined && !isDigit(part))) return undefined
  let left = value === 0 ? '' : String(value)
  let text = ''
  const first = parts.findIndex(isDigit)
  for (const [at, { literal, token }] of [...parts.entries()].reverse()) {
    if (literal !== undefined) {
      text = literal + text
      continue
    }
    const digit = at === first ? left : left.slice(-1)
    left = left.slice(0, left.length - digit.length)
    text = (digit || (token === '0' ? '0' : token === '?' ? ' ' : '')) + text
  }
  return text
}

/** A duration in days as hours, minutes and seconds. */
function elapsedTime(parts: readonly Part[], days: number): string | undefined {
  const places = parts.find(({ token = '' }) => /^\.0+$/.test(token))?.token?.length ?? 1
  const unit = 10 ** (places - 1)
  const all = Math.round(days * 86_400 * unit)
  const seconds = Math.floor(all / unit)
  const texts = parts.map(({ literal, token = '' }) => {
    if (literal !== undefined) return literal
    if (/^\.0+$/.test(token)) return `.${String(all % unit).padStart(places - 1, '0')}`
    const [letters = ''] = /[hms]+/.exec(token) ?? []
    const size = letters.startsWith('h')
      ? 3_600
      : letters.startsWith('m')
        ? 60
        : letters.startsWith('s')
          ? 1
          : undefined
    if (size === undefined) return undefined
    const count = Math.floor(seconds / size)
    return String(token.startsWith('[') ? count : count % (size === 3_600 ? 24 : 60)).padStart(letters.length, '0')
  })
  return texts.includes(undefined) ? undefined : texts.join('')
}
