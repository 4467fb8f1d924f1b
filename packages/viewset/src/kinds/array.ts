import * as z from 'zod'
import { readJsonCell } from './json.ts'
import type { Kind, ValueInfo } from './kind.ts'
import { ordinary } from './ordinary.ts'
import { typeError } from './schema-parts.ts'

const TEXT: ValueInfo = { kind: 'text' }

/** A list of values of one kind, none of which is null. `kindOf` is given, since it knows this kind in its turn. */
export function arrayKind(kindOf: (info: ValueInfo) => Kind): Kind {
  return {
    ...ordinary,
    name: 'array',
    traits: ['mutable'],
    cellForm: 'json',
    schema: ({ item = TEXT }, context) =>
      z.array(kindOf(item).schema(item, context), typeError('Expected a list of items.')),
    jsonSchema: ({ item = TEXT }) => {
      const { input, output, heldAsSent = false } = kindOf(item).jsonSchema(item)
      return { input: { type: 'array', items: input }, output: { type: 'array', items: output }, heldAsSent }
    },
    readCell: readJsonCell,
    note: () => 'A list as JSON, such as ["a", "b"].',
    examples: ({ item = TEXT }) => {
      const [example] = kindOf(item).examples(item)
      return [JSON.stringify(example === undefined ? [] : [example]), '[]']
    },
    isSame: (a, b) => JSON.stringify(a) === JSON.stringify(b),
    identity: value => JSON.stringify(value),
  }
}
