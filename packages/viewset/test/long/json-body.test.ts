import fc from 'fast-check'
import { test } from 'vitest'
import { jsonBodyProperties } from '../support/json-bodies.ts'

test.each(Object.entries(jsonBodyProperties))('%s (20,000 runs)', (_rule, property) => {
  fc.assert<unknown[]>(property as fc.IProperty<unknown[]>, { numRuns: 20_000 })
})
