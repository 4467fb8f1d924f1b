import { test } from 'vitest'
import { describeDialects } from '../support/dialects.ts'
import { attack } from '../support/hostile-bodies.ts'

describeDialects('hostile bodies', dialect => {
  test('are answered by an envelope and never by a 5xx (1,000 runs)', { timeout: 60_000 }, async () => {
    await attack(dialect, 1_000)
  })
})
