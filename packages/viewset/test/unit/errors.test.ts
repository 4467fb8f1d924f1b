import { expect, test } from 'vitest'
import { allValid, ValidationError } from '../../src/core/errors.ts'

test('errors of several steps are joined by field, also under the names of JavaScript', async () => {
  const fail = (errors: Record<string, string[]>) => () => {
    throw new ValidationError(errors)
  }
  const all = allValid(fail({ constructor: ['a'] }), fail({ toString: ['b'], constructor: ['c'] }))
  await expect(all).rejects.toMatchObject({ errors: { constructor: ['a', 'c'], toString: ['b'] } })
})
