import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { trimmed } from './cells.ts'
import { type Kind, ordinary } from './kind.ts'
import { parsed } from './schema-parts.ts'

const MINUTES = '([01][0-9]|2[0-3]):[0-5][0-9]'
const SECONDS = ':[0-5][0-9](\\.[0-9]{1,6})?'
const READ = { type: 'string', pattern: `^${MINUTES}(${SECONDS})?$` }
const SHOWN = { type: 'string', pattern: `^${MINUTES}${SECONDS}$` }

export const time: Kind = {
  ...ordinary,
  name: 'time',
  schema: () => parsed(readTime, value => message('invalid_time', { value: shownValue(value) })),
  jsonSchema: () => ({ input: READ, output: SHOWN }),
  readText: (_info, text) => readTime(text),
  expected: () => message('expected.time'),
  textSchema: () => READ,
  readCell: trimmed,
  note: () => message('template.time'),
  examples: () => ['10:30:00', '00:00:00', '23:59:59'],
}

const TIME = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/

/** One form for each time, so that texts sort as times. */
function readTime(value: unknown): string | undefined {
  const [, minutes, seconds = '00', fraction = ''] = (typeof value === 'string' && TIME.exec(value)) || []
  if (minutes === undefined) return undefined
  const digits = fraction.replace(/0+$/, '')
  return `${minutes}:${seconds}${digits && `.${digits}`}`
}
