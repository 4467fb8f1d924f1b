import { expect, test } from 'vitest'
import { wireValues } from '../../src/store/dialect/pg-rows-query.ts'

test('values are sent as text, bytes or null; what is not given is null', () => {
  expect(wireValues(['a', 5, 7n, true, null, undefined])).toEqual(['a', '5', '7', 'true', null, null])
  const bytes = Buffer.from([0, 255])
  expect(wireValues([bytes])).toEqual([bytes])
  expect(wireValues([new Date(0)])).toBeUndefined()
})
