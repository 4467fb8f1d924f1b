import { inject, test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { roundTrip } from '../support/round-trips.ts'

describeDialects('random models', dialect => {
  test('show ever after what was sent to them (300 models, 100 payloads each)', async () => {
    for (let i = 0; i < 6; i++) await roundTrip(dialect, { models: 50, payloads: 100, seed: inject('seed') + i })
  })
})
