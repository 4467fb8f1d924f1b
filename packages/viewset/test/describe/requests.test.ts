import { expect, test } from 'vitest'
import { askAsDescribed } from '../support/ask-as-described.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'

describeOneDialect('requests that are drawn from the document', dialect => {
  test('meet no 5xx, no answer without an envelope and none that is not described', async () => {
    const { statuses, problems } = await askAsDescribed(dialect, cases(1_500))
    expect(problems).toEqual([])
    // Requests that are all refused at the door would show little.
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
  })
})
