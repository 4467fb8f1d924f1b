import type { Kind } from './kind.ts'

/** What most kinds have in common. */
export const ordinary = {
  traits: ['comparable'],
  tabular: 'text',
  cellForm: 'value',
  readText: (_info, text) => text,
  expected: () => 'a text',
  readKey: (_info, text) => (text.includes('\0') ? undefined : text),
  isSame: (a, b) => a === b,
} as const satisfies Partial<Kind>
