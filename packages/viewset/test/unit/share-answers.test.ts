import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { shareAnswers } from '../../src/store/dialect/pg-standby.ts'

test('those who ask while a question is on its way share the next one, and none has the answer to an earlier one', async () => {
  let sent = 0
  const ask = shareAnswers(async () => {
    const question = ++sent
    await setImmediate()
    return question
  })
  const first = ask()
  await Promise.resolve()
  expect(sent).toBe(1)
  expect(await Promise.all([first, ask(), ask(), ask()])).toEqual([1, 2, 2, 2])
})
