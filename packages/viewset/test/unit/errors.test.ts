import { expect, test } from 'vitest'
import { allValid, Conflict, ValidationError } from '../../src/core/errors.ts'

test('errors of several steps are joined by field, also under the names of JavaScript', async () => {
  const fail = (errors: Record<string, string[]>) => () => {
    throw new ValidationError(errors)
  }
  const all = allValid(fail({ constructor: ['a'] }), fail({ toString: ['b'], constructor: ['c'] }))
  await expect(all).rejects.toMatchObject({ errors: { constructor: ['a', 'c'], toString: ['b'] } })
})

test('a conflict takes a text, as an invalid value does', () => {
  const conflict = new Conflict('Already sent.')
  expect(conflict.text).toBe('Already sent.')
  expect(conflict.errors).toEqual({ non_field_errors: ['Already sent.'] })
})
