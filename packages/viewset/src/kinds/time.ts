import { trimmed } from './cells.ts'
import { type Kind, ordinary } from './kind.ts'
import { parsed } from './schema-parts.ts'

const MINUTES = '([01][0-9]|2[0-3]):[0-5][0-9]'
const SECONDS = ':[0-5][0-9](\\.[0-9]{1,6})?'
const READ = { type: 'string', pattern: `^${MINUTES}(${SECONDS})?$` }
const SHOWN = { type: 'string', pattern: `^${MINUTES}${SECONDS}$` }
const FORMAT = 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].'

export const time: Kind = {
  ...ordinary,
  name: 'time',
  schema: () => parsed(readTime, FORMAT),
  jsonSchema: () => ({ input: READ, output: SHOWN }),
  readText: (_info, text) => readTime(text),
  expected: () => 'a time of day, such as 10:30',
  textSchema: () => READ,
  readCell: trimmed,
  note: () => 'A time of day, such as 10:30.',
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
