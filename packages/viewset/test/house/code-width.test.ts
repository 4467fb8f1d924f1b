import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/snippets.ts'

/** The site shows this many characters of a line without a scroll bar. */
const WIDTH = 88

/** The lines of a page's code blocks that are wider than the site shows. The rows of a CSV file cannot be broken. */
function wideLines(markdown: string): readonly string[] {
  const blocks = markdown.matchAll(/^( *(?:- )?)(`{3,})(\w*)[^\n]*\n(.*?)^ *\2 *$/gms)
  return [...blocks]
    .filter(([, , , language]) => language !== 'csv')
    .flatMap(([, before = '', , , code = '']) =>
      code
        .split('\n')
        .map(line => (line.startsWith(' '.repeat(before.length)) ? line.slice(before.length) : line))
        .filter(line => line.length > WIDTH && !isTextOfJson(line)),
    )
}

/** A text in a JSON answer, which cannot be broken either. */
function isTextOfJson(line: string): boolean {
  return /^ *(?:"\w+": )?"(?:[^"\\]|\\.)*",?$/.test(line)
}

const pages = ['README.md', 'packages/viewset/README.md', ...globSync('docs/**/*.md', { cwd: root })]
  .filter(path => !path.startsWith('docs/reference/'))
  .toSorted()
const linesOf = (path: string) => wideLines(readFileSync(join(root, path), 'utf8'))

test.each(pages)(`%s has no code wider than ${WIDTH} characters`, path => {
  expect(linesOf(path)).toEqual([])
})

describe('a line is', () => {
  const wide = 'x'.repeat(WIDTH + 1)

  test.each([
    ['too wide in a block of code', `\`\`\`ts\n${wide}\n\`\`\`\n`, [wide]],
    ['too wide in the block of a list', `- \`\`\`ts\n  ${wide}\n  \`\`\`\n`, [wide]],
    ['measured without the indentation of its list', `- \`\`\`ts\n  ${wide.slice(1)}\n  \`\`\`\n`, []],
    ['free if it is one text of JSON', `\`\`\`json\n  "message": "${wide}"\n\`\`\`\n`, []],
    ['free if it is a row of a CSV file', `\`\`\`csv\n${wide}\n\`\`\`\n`, []],
    ['free in prose and tables', `${wide}\n\n| ${wide} |\n|---|\n`, []],
  ])('%s', (_, markdown, expected) => {
    expect(wideLines(markdown)).toEqual(expected)
  })
})
