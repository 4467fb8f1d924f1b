import { isIP } from 'node:net'

/** How the values of a database's own type are written. */
export interface TextForm {
  accepts(text: string): boolean
  readonly message: string
}

const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,6})?)?'
const TIME = new RegExp(`^${CLOCK}$`)
const TIME_WITH_ZONE = new RegExp(`^${CLOCK}(?:Z|[+-](?:0\\d|1[0-5])(?::?[0-5]\\d)?)?$`)
const TIME_FORMAT = 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]]'

const time: TextForm = { accepts: text => TIME.test(text), message: `${TIME_FORMAT}.` }
const zonedTime: TextForm = {
  accepts: text => TIME_WITH_ZONE.test(text),
  message: `${TIME_FORMAT}[+HH:MM|-HH:MM|Z].`,
}
const address: TextForm = { accepts: isAddress, message: 'Enter a valid IPv4 or IPv6 address.' }
const mac = (bytes: number): TextForm => ({
  accepts: text => new RegExp(`^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\\1[0-9a-f]{2}){${bytes - 2}}$`, 'i').test(text),
  message: 'Enter a valid MAC address.',
})

const FORMS: Readonly<Record<string, TextForm>> = {
  time,
  'time with time zone': zonedTime,
  inet: address,
  cidr: address,
  macaddr: mac(6),
  macaddr8: mac(8),
}

/**
 * How values of an SQL type are written, for types of PostgreSQL that are text to everybody else; `undefined` for those
 * that only the database reads.
 *
 * @example
 * textForm('inet')?.accepts('10.0.0.1/8') // true
 */
export function textForm(sqlType: string): TextForm | undefined {
  return FORMS[sqlType.replace(/ ?\(\d+\)/, '')]
}

/** An address, with the length of its network where there is one. */
function isAddress(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}
