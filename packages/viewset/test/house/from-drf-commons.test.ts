import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/snippets.ts'

const page = await readFile(join(root, 'docs/from-drf-commons.md'), 'utf8')
const intro = page.slice(0, page.indexOf('```')).replaceAll('\n', ' ')
const table = page.slice(page.indexOf('| Example | In its guide | Python | Viewset |'))

const rows = [...table.matchAll(/^\| (.+) \|(?: \w+)? \| (\d+) \| (\**)(\d+)\3 \|$/gm)].map(
  ([, name = '', python, bold, viewset]) => ({
    name,
    python: Number(python),
    viewset: Number(viewset),
    isBold: bold === '**',
  }),
)
const examples = rows.filter(({ name }) => name !== 'Together')
const sums = {
  python: examples.reduce((sum, { python }) => sum + python, 0),
  viewset: examples.reduce((sum, { viewset }) => sum + viewset, 0),
}

test('the last row of the table has the sums of the others', () => {
  expect(rows.at(-1)).toEqual({ name: 'Together', ...sums, isBold: false })
})

test('a number is bold if it is larger than that of Python', () => {
  expect(examples.filter(({ python, viewset, isBold }) => viewset > python !== isBold)).toEqual([])
})

test('the text above has the number of the examples, of the lines and of the longer examples', () => {
  const longer = examples.filter(({ isBold }) => isBold).length
  expect(intro).toContain(`It shows ${examples.length} examples`)
  expect(intro).toContain(`They have ${sums.python} lines in Python and ${sums.viewset} lines here.`)
  expect(intro).toContain(`Of these, ${longer} are longer here`)
})
