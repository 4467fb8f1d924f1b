import '../support/setup.ts'
import { expect, test } from 'vitest'
import { askAsDescribed } from '../support/ask-as-described.ts'
import { describeDialects } from '../support/dialects.ts'

describeDialects('50,000 requests that are drawn from the document', dialect => {
  test('meet no 5xx, no answer without an envelope and none that is not described', async () => {
    const { problems } = await askAsDescribed(dialect, 30_000)
    expect(problems).toEqual([])
  })
})
