import { describe, expect, test } from 'vitest'
import { EXCEPTIONS, findingsIn, MOST_WORDS, RETIRED_WORDS, readProse } from '../support/plain-english.ts'

const prose = readProse()

test('pages and comments have no retired word and no sentence that is too long', () => {
  expect(prose.size).toBeGreaterThan(100)
  expect([...prose].flatMap(([path, text]) => findingsIn(path, text))).toEqual([])
})

test('each exception allows a sentence that would be refused', () => {
  const unused = EXCEPTIONS.filter(exception => {
    const others = EXCEPTIONS.filter(other => other !== exception)
    const text = prose.get(exception.path) ?? ''
    return findingsIn(exception.path, text).length === findingsIn(exception.path, text, others).length
  })
  expect(unused).toEqual([])
})

const LONG = 'word '.repeat(MOST_WORDS).concat('end')
const tooLong = (path: string, line: number, words = MOST_WORDS + 1) =>
  `${path}:${line}: ${words} words in "${'word '.repeat(12)}…"`

describe('in a page', () => {
  const find = (text: string) => findingsIn('a.md', text, [])

  test.each(Object.keys(RETIRED_WORDS))('%s is refused, with what to write instead', word => {
    expect(find(`A page.\n\nIt has\n"${word}".`)).toEqual([
      `a.md:3: "${word}" in "It has "${word}"."`.concat(`: ${RETIRED_WORDS[word]}`),
    ])
  })

  test('a retired identifier is refused in code as well, and an ordinary word is not', () => {
    expect(find('Call `viewOfNobody()`.\n\n```ts\nconst a = MAKING_UP\n```\nA unit.')).toEqual([
      'a.md:1: viewOfNobody; write viewWithoutRequest instead',
      'a.md:4: MAKING_UP; write QUICK_RUNS_PER_SLOW_MS instead',
    ])
  })

  test('a sentence may have 30 words, and a longer one is refused at its first line', () => {
    const allowed = LONG.replace('word ', '')
    expect(find(`${allowed}.`)).toEqual([])
    expect(find(`A page.\n${allowed}.\n${LONG}.`)).toEqual([tooLong('a.md', 3)])
  })

  const half = 'word '.repeat(20).trim()
  test.each([
    ['a full stop', `${half}. ${half}`],
    ['a question mark in brackets', `(${half}?) ${half}`],
    ['a full stop before a name in lower case', `${half}. npm ${half}`],
    ['a list item', `${half}:\n\n- ${half}\n- ${half}\n  1. ${half}`],
    ['a table cell', `| ${half} | \`a|b\` ${half} |\n|---|---|\n| ${half} | ${half} |`],
    ['a heading', `# ${half}\n${half}`],
    ['an empty line', `${half}\n\n${half}`],
    ['a quote', `${half}\n\n> ${half}`],
    ['a line of the front matter', `---\ntitle: ${half}\nlead: ${half}\n---\n${half}`],
  ])('%s ends a sentence', (_, text) => {
    expect(find(text)).toEqual([])
  })

  test.each([
    ['a line break', `${half}\n${half}`],
    ['an abbreviation', `${half}, e.g. ${half}`],
    ['a point in a number or in code', `${half} 1.5 \`a. b.\` ${half}`],
    ['a semicolon', `${half}; ${half}`],
  ])('%s does not end a sentence', (_, text) => {
    expect(find(text)).toHaveLength(1)
  })

  test.each([
    ['code', '`await nobody`'],
    ['code in two backticks', '``a ` nobody``'],
    ['code across lines', '`nobody\nnobody`'],
    ['the address of a link', '[word](nobody.md "nobody")'],
    ['a comment', '<!-- nobody -->'],
    ['a tag', '<a href="nobody.md">word</a>'],
  ])('%s is one word at most', (_, text) => {
    expect(find(`${'word '.repeat(MOST_WORDS - 1)}${text}.`)).toEqual([])
    expect(find(`${LONG.replace('word ', '')}\n\n${text} nobody`)).toEqual([expect.stringContaining('"nobody" in')])
  })

  test('a block of code is skipped', () => {
    expect(find(`\`\`\`\`md\n\`\`\`\nnobody\n${LONG}\n\`\`\`\`\n- \`\`\`ts\n  // nobody\n  \`\`\``)).toEqual([])
    expect(find(`word\n\n    nobody\n\n- word\n\n    - word\n\nword`)).toEqual([])
    expect(find('- word\n\n    nobody')).toHaveLength(1)
    expect(find("<script setup>\nimport nobody from './a.ts'\n</script>")).toEqual([])
  })

  test('an exception allows its sentence only', () => {
    const exceptions = [{ path: 'a.md', sentence: 'says nobody', reason: 'a quotation' }]
    expect(findingsIn('a.md', 'The law says nobody. And nobody.', exceptions)).toHaveLength(1)
    expect(findingsIn('b.md', 'The law says nobody.', exceptions)).toHaveLength(1)
  })
})

describe('in a source file', () => {
  const find = (text: string) => findingsIn('a.ts', text, [])

  test('comments are read, and code and strings are not', () => {
    const code = `const nobody = 'nobody // nobody' + \`// nobody \${1 /* told */}\` + /[/]\\/\\/ nobody/.source // Nobody.\n`
    expect(find(code)).toEqual([
      expect.stringMatching(/^a\.ts:1: "told" in "told"/),
      expect.stringMatching(/^a\.ts:1: "Nobody" in "Nobody\."/),
    ])
  })

  test('lines of // that follow each other are one paragraph', () => {
    const half = 'word '.repeat(20).trim()
    expect(find(`f()\n// ${half}\n  // ${half}\n`)).toEqual([tooLong('a.ts', 2, 40)])
    expect(find(`f() // ${half}\ng() // ${half}\n\n// ${half}\n\n// ${half}\n`)).toEqual([])
  })

  test('a doc comment is read as Markdown, each tag for itself, without the code of its example', () => {
    const half = 'word '.repeat(20).trim()
    const comment = ` * ${half}\n * @param a ${half}\n * @example\n * tell(${half})\n * ${half}\n * @throws ${half}\n *   nobody`
    expect(find(`/**\n${comment}\n */\nf()`)).toEqual([expect.stringMatching(/^a\.ts:7: "nobody"/)])
    expect(find(`/**\n * Adds.\n * ${LONG}\n */\nf()`)).toEqual([tooLong('a.ts', 3)])
  })
})
