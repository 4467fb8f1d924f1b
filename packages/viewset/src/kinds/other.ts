import type { Kind } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { anySchema, parsed } from './schema-parts.ts'
import { textForm } from './text-forms.ts'

/** A type that only its database and its Drizzle column know: values pass through as they have them. */
export const other: Kind = {
  ...ordinary,
  name: 'other',
  traits: [],
  cellForm: 'any',
  schema: ({ sqlType = '', accepts }) => {
    // A type whose texts only the database reads, where it is known how they are written.
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
