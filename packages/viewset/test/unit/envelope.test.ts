import { expect, test } from 'vitest'
import { dataEnvelope } from '../../src/core/envelope.ts'

test('an envelope is JSON, whatever a pagination style leaves out', () => {
  for (const links of [{}, { count: Number.NaN, next: undefined }]) {
    const { next, previous, count = null } = JSON.parse(dataEnvelope('[]', { links: links as never }))
    expect([next, previous, count]).toEqual([null, null, null])
  }
})
