import { expect, test } from 'vitest'
import { askAsDescribed } from '../support/ask-as-described.ts'
import { describeDialects } from '../support/dialects.ts'

/** 5,000 in CI, on two databases; fewer for somebody who waits for their tests. */
const REQUESTS = process.env.CI ? 2_500 : 500

describeDialects('requests that are drawn from the document', dialect => {
  test('meet no 5xx, no answer without an envelope and none that is not described', {
    timeout: 120_000,
  }, async () => {
    const { statuses, problems } = await askAsDescribed(dialect, REQUESTS)
    expect(problems).toEqual([])
    // Requests that are all refused at the door would show little.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
  })
})
