import { test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { roundTrip } from '../support/round-trips.ts'

describeDialects('random models', dialect => {
  test('show ever after what was sent to them (25 models, 20 payloads each)', async () => {
    await roundTrip(dialect, { models: cases(25), payloads: 20 })
  })
})
