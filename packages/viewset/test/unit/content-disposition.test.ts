import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment, fileName } from '../../src/core/content-disposition.ts'

test.each([
  ['report', 'report.csv'],
  ['report.CSV', 'report.CSV'],
  ['report.xlsx', 'report.xlsx.csv'],
  ['../../etc/passwd', '_.._etc_passwd.csv'],
  ['C:\\temp\\a', 'C__temp_a.csv'],
  ['.hidden ', 'hidden.csv'],
  ['a\u202egpj.exe', 'a_gpj.exe.csv'],
  ['a\nb\u0000c', 'a_b_c.csv'],
  ['', 'file.csv'],
])('%j is the file %j', (wanted, name) => {
  expect(fileName(wanted, 'csv')).toBe(name)
})

test.each([
  ['plain name.csv', 'attachment; filename="plain name.csv"'],
  ['naïve "a".csv', `attachment; filename="na_ve _a_.csv"; filename*=UTF-8''na%C3%AFve%20%22a%22.csv`],
  ["it's (1)*.csv", `attachment; filename="it's (1)*.csv"`],
  ["é'()*.csv", `attachment; filename="_'()*.csv"; filename*=UTF-8''%C3%A9%27%28%29%2A.csv`],
  ['100%.csv', `attachment; filename="100_.csv"; filename*=UTF-8''100%25.csv`],
  ['😀.csv', `attachment; filename="_.csv"; filename*=UTF-8''%F0%9F%98%80.csv`],
])('%j is sent as %s', (name, header) => {
  expect(attachment(name)).toBe(header)
})

test('whatever a file is called, the header is one line of ASCII, and new clients get the name back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), wanted => {
      const name = fileName(wanted, 'csv')
      const header = attachment(name)
      expect(header).toMatch(
        /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"(; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/,
      )
      const encoded = /filename\*=UTF-8''(.+)$/.exec(header)?.[1]
      expect(encoded === undefined ? /filename="(.*)"/.exec(header)?.[1] : decodeURIComponent(encoded)).toBe(name)
      expect(name).not.toMatch(/[/\\\p{Cc}]|^\./u)
    }),
  )
})
