import { isIP } from 'node:net'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { type Kind, ordinary } from './kind.ts'
import { anySchema, checkError, type Problem, parsed } from './schema-parts.ts'

/** A type that only its database and its Drizzle column know. Values pass through unchanged. */
export const other: Kind = {
  ...ordinary,
  name: 'other',
  traits: [],
  cellForm: 'any',
  schema: ({ sqlType = '', accepts }) => {
    const form = textForm(sqlType)
    if (form)
      return parsed(value => (typeof value === 'string' && form.accepts(value) ? value : undefined), form.problem)
    return anySchema().refine(
      value => value === undefined || value === null || accepts?.(value),
      checkError(message('invalid')),
    )
  },
  jsonSchema: ({ sqlType = '' }) => {
    const form = textForm(sqlType)
    if (!form) return { input: {}, output: {} }
    const { pattern } = form
    return { input: { type: 'string', ...(pattern !== undefined && { pattern }) }, output: { type: 'string' } }
  },
  note: () => message('template.text'),
  examples: () => [],
}

interface TextForm {
  accepts(text: string): boolean
  readonly problem: Problem
  readonly pattern?: string
}

const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?'
const HEX = '[0-9A-Fa-f]{2}'
const time = formOf(`^${CLOCK}$`, notA('invalid_time'))
const zonedTime = formOf(`^${CLOCK}(Z|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?$`, notA('invalid_time.zone'))
const address: TextForm = { accepts: isAddress, problem: notA('invalid_address') }
const mac = (bytes: number) => formOf(`^${HEX}((:${HEX}){${bytes - 1}}|(-${HEX}){${bytes - 1}})$`, notA('invalid_mac'))

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

function formOf(pattern: string, problem: Problem): TextForm {
  const form = new RegExp(pattern)
  return { accepts: text => form.test(text), problem, pattern }
}

type ValueMessage = 'invalid_time' | 'invalid_time.zone' | 'invalid_address' | 'invalid_mac'

function notA(name: ValueMessage): Problem {
  return value => message(name, { value: shownValue(value) })
}

function isAddress(text: string): boolean {
  const [address = '', length, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128))
}
