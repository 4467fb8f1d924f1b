import * as z from 'zod'
import { NULL, REQUIRED } from './drf-messages.ts'
import { bothWays } from './json-schema.ts'
import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { readText } from './text.ts'

export const enumeration: Kind = {
  ...ordinary,
  name: 'enumeration',
  traits: ['comparable', 'text', 'item'],
  comparedAs: 'text',
  schema: ({ values = [] }) =>
    z.enum(values as readonly [string, ...string[]], {
      error: ({ input }) =>
        input === undefined ? REQUIRED : input === null ? NULL : `"${shorten(input)}" is not a valid choice.`,
    }),
  plainCheck: ({ values }) => {
    const known = new Set<unknown>(values)
    return value => known.has(value)
  },
  jsonSchema: ({ values = [] }) => bothWays({ type: 'string', enum: values }),
  readText: ({ values }, given) => (values?.includes(given) ? given : undefined),
  textSchema: ({ values = [] }) => ({ type: 'string', enum: values }),
  expected: ({ values }) => `one of: ${values?.join(', ')}`,
  readCell: readText,
  note: ({ values }) => `One of: ${values?.join(', ')}.`,
  examples: ({ values }) => values ?? [],
}

function shorten(input: unknown): string {
  const shown = typeof input === 'string' ? input : JSON.stringify(input)
  return shown.length > 50 ? `${shown.slice(0, 50)}...` : shown
}
