import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deadLinks, isAsSaid, readPage, readPages, Snippets } from './support/snippets.ts'

const pages = await readPages()

describe('the code of the guide', () => {
  let snippets: Snippets

  beforeAll(async () => {
    snippets = await Snippets.write(pages)
  })
  afterAll(() => snippets?.remove())

  test('compiles', { timeout: 60_000 }, async () => {
    expect(await snippets.compile()).toBe('')
  })

  test.concurrent.each(pages.filter(page => page.module.trim() !== ''))(
    'of $path runs, and prints what the page says',
    { timeout: 120_000 },
    async page => {
      const printed = await snippets.run(page)
      for (const [index, { line, expected }] of page.expectations.entries()) {
        const value = printed[index]
        // The page is quoted only where it is wrong, with the two values side by side.
        if (!isAsSaid(expected, value)) expect(value, `${page.path}:${line}`).toEqual(expected)
      }
      expect(printed).toHaveLength(page.expectations.length)
    },
  )
})

test.each(pages)('the links of $path lead somewhere', page => {
  expect(deadLinks(page, pages, existsSync)).toEqual([])
})

describe('a page', () => {
  const block = (info: string, ...lines: readonly string[]) => [`\`\`\`${info}`, ...lines, '```', ''].join('\n')

  test('is a module with the line numbers of the page', () => {
    const page = readPage('a.md', `# A\n\n${block('ts', 'const a = 1')}${block('ts', 'const b = 2')}`)
    expect(page.module.split('\n')).toEqual(['', '', '', 'const a = 1', '', '', 'const b = 2', ''])
  })

  test('says what it prints, behind the call or in the JSON that follows', () => {
    const text =
      block('ts', 'console.log(1) // 1', "console.log('a') // 'a'", 'console.log([2])') + block('json', '[2]')
    expect(readPage('a.md', text).expectations).toEqual([
      { line: 2, expected: 1 },
      { line: 3, expected: 'a' },
      { line: 4, expected: [2] },
    ])
  })

  test.each([
    ['prints something that it does not say', block('ts', 'console.log(1)')],
    ['says something that it does not print', block('ts', 'const a = 1') + block('json', '1')],
    ['has code that would not run', block('ts skip', 'const a = 1')],
    ['has a file twice', block('ts file=a.ts') + block('ts file=a.ts')],
    ['has a block without an end', '```ts\n'],
  ])('is refused when it %s', (_, text) => {
    expect(() => readPage('a.md', text)).toThrow(/^a\.md:\d+: /)
  })

  test.each([
    ['…', { a: 1 }, true],
    ['2026-…Z', '2026-01-15Z', true],
    ['2026-…Z', '2026-01-15', false],
    [[1, '…'], [1, 2, 3], true],
    [[1, '…'], [2], false],
    [[1], [1, 2], false],
    [{ a: 1, '…': '…' }, { a: 1, b: 2 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, false],
    ['1', 1, false],
    [null, undefined, false],
  ])('that says %j of %j: %s', (said, value, expected) => {
    expect(isAsSaid(said, value)).toBe(expected)
  })
})
