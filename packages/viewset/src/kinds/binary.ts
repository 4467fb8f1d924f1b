import { message } from '../core/messages/message.ts'
import { trimmed } from './cells.ts'
import { type Kind, ordinary } from './kind.ts'
import { checkError, parsed } from './schema-parts.ts'

export const binary: Kind = {
  ...ordinary,
  name: 'binary',
  traits: ['mutable'],
  recordTypes: {
    custom: {
      toRecord: (base64: string) => new Uint8Array(Buffer.from(base64, 'base64')),
      fromRecord: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
    },
  },
  schema: ({ length }) => {
    const bytes = parsed(
      value => (typeof value === 'string' ? readBase64(value) : undefined),
      message('invalid_base64'),
    )
    if (length === undefined) return bytes
    return bytes.refine(
      base64 => Buffer.byteLength(base64, 'base64') <= length,
      checkError(message('max_length.bytes', { max: length })),
    )
  },
  jsonSchema: ({ length }) => {
    const schema = {
      type: 'string',
      contentEncoding: 'base64',
      pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      ...(length !== undefined && { maxLength: 4 * Math.ceil(length / 3) }),
    }
    return { input: schema, output: schema }
  },
  readCell: trimmed,
  note: ({ length }) =>
    length === undefined ? message('template.bytes') : message('template.bytes_of', { max: length }),
  examples: () => ['AAEC', 'AA=='],
  identity: bytes => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : String(bytes)),
  isSame: (a, b) => a === b || (a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0),
}

/** RFC 4648 base64 with padding and without line breaks, so that a value has one form. */
function readBase64(text: string): string | undefined {
  return Buffer.from(text, 'base64').toString('base64') === text ? text : undefined
}
