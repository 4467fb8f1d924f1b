import { randomUUID } from 'node:crypto'
import { message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { trimmed } from './cells.ts'
import { type Kind, ordinary } from './kind.ts'
import { parsed } from './schema-parts.ts'

const UUID = /^(?:urn:uuid:)?([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i

/** A UUID as it is stored. The schema reads other spellings. */
const STORED_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const uuid: Kind = {
  ...ordinary,
  name: 'uuid',
  schema: () => parsed(readUuid, value => message('invalid_uuid', { value: shownValue(value) })),
  plainCheck: () => value => typeof value === 'string' && STORED_UUID.test(value),
  jsonSchema: () => ({ input: { type: 'string', format: 'uuid' }, output: { type: 'string', format: 'uuid' } }),
  readText: (_info, text) => readUuid(text),
  expected: () => message('expected.uuid'),
  textSchema: () => ({ type: 'string', format: 'uuid' }),
  readKey: (_info, text) => readUuid(text),
  readCell: trimmed,
  note: () => message('template.uuid'),
  examples: () => ['019bc134-7840-7d21-9c3e-5f0a8b6d4e12', '7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11'],
  spare: () => randomUUID(),
}

/** Accepts any version and case, with or without hyphens, and as a URN (RFC 9562, 4). Returns the stored form. */
function readUuid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const [, low, , ...rest] = UUID.exec(value) ?? []
  return low && [low, ...rest].join('-').toLowerCase()
}
