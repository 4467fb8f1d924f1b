import { expect, test } from 'vitest'
import { readPath } from './read-support.ts'

const fixture = (name: string) => readPath(`${import.meta.dirname}/../fixtures/workbooks/${name}`)

test('reads text, numbers, booleans and dates', async () => {
  const sheets = await fixture('issues.xls')
  expect(sheets.map(({ name }) => name)).toEqual(['datatypes', 'Sheet1', 'issue2', 'issue5', 'issue6'])
  expect(sheets[0]).toEqual({
    name: 'datatypes',
    header: ['1'],
    rows: [
      [2, 1.5],
      [3, 'ab'],
      [4, false],
      [5, 'test'],
      [6, '@2016-10-20'],
    ],
  })
})

test.each(['date.xls', 'date_1904.xls'])('counts days as %s does', async name => {
  const [sheet] = await fixture(name)
  expect(sheet).toMatchObject({ header: ['2021-01-01', '15'], rows: [[2, '@2021-01-02', 16], expect.anything()] })
})

test.each([
  ['issue_385.xls', 'encrypted', 'protected by a password'],
  ['pass_protected.xlsx', 'encrypted', 'protected by a password'],
  ['biff5_write.xls', 'unreadable', 'older than Excel 97'],
])('HARDENING 30: %s is %s', async (name, code, message) => {
  await expect(fixture(name)).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})
