import { isIP } from 'node:net'
import { type Kind, ordinary } from './kind.ts'
import { anySchema, parsed } from './schema-parts.ts'

/** A type that only its database and its Drizzle column know. Values pass through unchanged. */
export const other: Kind = {
  ...ordinary,
  name: 'other',
  traits: [],
  cellForm: 'any',
  schema: ({ sqlType = '', accepts }) => {
    const form = textForm(sqlType)
    if (form)
      return parsed(value => (typeof value === 'string' && form.accepts(value) ? value : undefined), form.message)
    return anySchema().refine(value => value === undefined || value === null || accepts?.(value), 'Not a valid value.')
  },
  jsonSchema: ({ sqlType = '' }) => {
    const form = textForm(sqlType)
    if (!form) return { input: {}, output: {} }
    const { pattern } = form
    return { input: { type: 'string', ...(pattern !== undefined && { pattern }) }, output: { type: 'string' } }
  },
  note: () => 'Text.',
  examples: () => [],
}

interface TextForm {
  accepts(text: string): boolean
  readonly message: string
  readonly pattern?: string
}

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?'
const HEX = '[0-9A-Fa-f]{2}'
const TIME_FORMAT = 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]]'

const time = formOf(`^${CLOCK}$`, `${TIME_FORMAT}.`)
const zonedTime = formOf(`^${CLOCK}(Z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?$`, `${TIME_FORMAT}[+HH:MM|-HH:MM|Z].`)
const address: TextForm = { accepts: isAddress, message: 'Enter a valid IPv4 or IPv6 address.' }
const mac = (bytes: number) =>
  formOf(`^${HEX}((:${HEX}){${bytes - 1}}|(-${HEX}){${bytes - 1}})$`, 'Enter a valid MAC address.')

const FORMS: Readonly<Record<string, TextForm>> = {
  time,
  'time with time zone': zonedTime,
  inet: address,
  cidr: address,
  macaddr: mac(6),
  macaddr8: mac(8),
}

/**
 * The text form of an SQL type of PostgreSQL; `undefined` if only the database can read it.
 *
 * @example
 * textForm('inet')?.accepts('10.0.0.1/8') // true
 */
export function textForm(sqlType: string): TextForm | undefined {
  return FORMS[sqlType.replace(/ ?\(\d+\)/, '')]
}

function formOf(pattern: string, message: string): TextForm {
  const form = new RegExp(pattern)
  return { accepts: text => form.test(text), message, pattern }
}

function isAddress(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}
