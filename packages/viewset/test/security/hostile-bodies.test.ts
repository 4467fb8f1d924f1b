import { test } from 'vitest'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { attack } from '../support/hostile-bodies.ts'

describeDialects('hostile bodies', dialect => {
  test('are answered by an envelope and never by a 5xx (1,000 runs)', async () => {
    allowUndescribed(
      /-delete\/ takes|-restore\/ takes/,
      'What is no key names no record. The document says what a key is.',
    )
    await attack(dialect, cases(1_000))
  })
})
