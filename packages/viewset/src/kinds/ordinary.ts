import type { Kind } from './kind.ts'

/** What most kinds have in common. */
export const ordinary = {
  traits: ['comparable', 'item'],
  tabular: 'text',
  cellForm: 'value',
  readText: (_info, text) => text,
  expected: () => 'a text',
  textSchema: () => ({ type: 'string' }),
  readKey: (_info, text) => (text.includes('\0') ? undefined : text),
  isSame: (a, b) => a === b,
  identity: value => (value instanceof Date ? String(value.getTime()) : String(value)),
} as const satisfies Partial<Kind>
