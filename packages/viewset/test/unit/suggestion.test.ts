import fc from 'fast-check'
import { expect, test } from 'vitest'
import { suggestion } from '../../src/core/suggestion.ts'

const word = fc.stringMatching(/^[a-z][a-zA-Z]{2,12}$/)

test.each([
  ['titel', ['title', 'body'], '; did you mean "title"?'],
  ['TITLE', ['title', 'body'], '; did you mean "title"?'],
  ['serializer_class', ['model', 'serializers', 'serializer', 'describes'], '; did you mean "serializer"?'],
  ['filterset_fields', ['filterBackends', 'filterFields'], '; did you mean "filterFields"?'],
  ['permission_classes', ['permissionClasses', 'model'], '; did you mean "permissionClasses"?'],
  ['createdat', ['createdAt', 'updatedAt'], '; did you mean "createdAt"?'],
  ['permissions', ['permissionClasses', 'model'], '; known: "permissionClasses", "model"'],
  ['ne', ['exact', 'lt', 'lte'], '; known: "exact", "lt", "lte"'],
  ['le', ['exact', 'lt', 'lte'], '; did you mean "lt"?'],
  ['zzzzzz', ['title', 'body'], '; known: "title", "body"'],
  ['', ['title'], '; known: "title"'],
  ['x', [], ''],
])('%s among %j: %s', (name, known, expected) => {
  expect(suggestion(name, known)).toBe(expected)
})

test('a word with one slip leads back to it', () => {
  const slip = fc.record({
    known: word,
    at: fc.nat(),
    letter: fc.stringMatching(/^[a-z]$/),
    kind: fc.constantFrom('drop', 'add', 'change'),
  })
  fc.assert(
    fc.property(slip, ({ known, at, letter, kind }) => {
      const i = at % known.length
      const wrong = known.slice(0, i) + (kind === 'drop' ? '' : letter) + known.slice(kind === 'add' ? i : i + 1)
      expect(suggestion(wrong, [known, 'somethingElseEntirely'])).toBe(`; did you mean "${known}"?`)
    }),
  )
})

test('a suggestion is always one of the candidates, and without one all are named', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.uniqueArray(word, { minLength: 1, maxLength: 5 }), (name, known) => {
      const text = suggestion(name, known)
      const suggested = /^; did you mean "(.*)"\?$/.exec(text)?.[1]
      if (suggested !== undefined) expect(known).toContain(suggested)
      else expect(text).toBe(`; known: ${known.map(candidate => `"${candidate}"`).join(', ')}`)
    }),
  )
})
