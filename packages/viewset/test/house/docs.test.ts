import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ownApiSection, PastedReadme } from '../support/pasted-readme.ts'
import {
  isAsSaid,
  OWN_API,
  onPostgres,
  packageRoot,
  programsOf,
  readPage,
  readPages,
  Snippets,
} from '../support/snippets.ts'

const written = await readPages()
/** The recipes run on both databases. */
const pages = [...written, ...written.flatMap(page => onPostgres(page) ?? [])]

describe('the code of the guide', () => {
  let snippets: Snippets

  beforeAll(async () => {
    snippets = await Snippets.write(pages)
  })
  afterAll(() => snippets?.remove())

  test('compiles', async () => {
    expect(await snippets.compile()).toBe('')
  })

  test.concurrent.each(pages.filter(page => page.module.trim() !== ''))(
    'of $path runs, and prints what the page says',
    async page => {
      const printed = await snippets.run(page, inject('postgresUrl'))
      for (const [index, { line, expected }] of page.expectations.entries()) {
        const value = printed[index]
        // The page is quoted only where it is wrong, with the two values side by side.
        if (!isAsSaid(expected, value)) expect(value, `${page.path}:${line}`).toEqual(expected)
      }
      expect(printed).toHaveLength(page.expectations.length)
    },
  )
})

const jsonPost = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function importOf(address: string, csv: string): Promise<object> {
  const body = new FormData()
  body.set('file', new Blob([csv]), 'rows.csv')
  body.set('append_data', 'true')
  const { data } = (await (await fetch(address, { method: 'POST', body })).json()) as { data: object }
  return data
}

describe('the example of your own API, pasted into an empty folder', () => {
  let pasted: PastedReadme
  beforeAll(async () => {
    pasted = await PastedReadme.write(pages.find(({ path }) => path === OWN_API)!)
  })
  afterAll(() => pasted?.remove())

  test('says what to do where its tables are missing', async () => {
    const { address, stop } = await pasted.start()
    const response = await fetch(`${address}authors/`)
    const { message } = (await response.json()) as { message: string }
    const [, errorId = ''] = /error id (\S+)\.$/.exec(message) ?? []
    const complaints = await stop()
    expect(response.status).toBe(500)
    for (const table of ['authors', 'books']) {
      expect(complaints).toContain(`viewset: table ${table} does not exist: run your migrations\n`)
    }
    expect(complaints).toContain(`viewset: table authors does not exist: run your migrations (error id ${errorId})`)
  })

  test('makes its tables by the command that it tells, and serves them', async () => {
    await pasted.makeTables()
    const { address, stop } = await pasted.start()
    const ask = async (path: string, method = 'GET', body?: object) => {
      const response = await fetch(address + path, { ...(body && jsonPost(body)), method })
      const text = await response.text()
      const { data, count } = JSON.parse(text || '{}') as { data: { id: string }; count?: number }
      return { status: response.status, data, count }
    }
    const root = await ask('')
    const author = await ask('authors/', 'POST', { name: 'Jane Austen' })
    const { id } = author.data
    const book = await ask('books/', 'POST', { isbn: '9780141439518', title: 'Pride and Prejudice', author: id })
    const path = `books/${book.data.id}/`
    const counts = [(await ask('books/')).count]
    const { status } = await ask(path, 'DELETE')
    counts.push((await ask('books/')).count)
    const rows = 'isbn,title,author\n9780141439587,Emma,Jane Austen\n9780141439846,Dracula,Nobody\n'
    const imported = await importOf(`${address}books/import-from-file/`, rows)
    const exported = await fetch(`${address}books/export/`, jsonPost({ file_type: 'csv' })).then(file => file.text())
    expect(await stop()).toBe('')
    expect(imported).toMatchObject({ created: 1, failed: 1, errors: [{ row: 3, field: 'author', column: 'author' }] })
    expect(exported).toBe('Title,Author\r\nEmma,Jane Austen\r\n')
    expect(root.data).toEqual(['authors', 'books'].map(name => ({ name, url: `${address}${name}/` })))
    expect([author.status, book.status, status, counts]).toEqual([201, 201, 204, [1, 0]])
    expect(book.data).toMatchObject({ title: 'Pride and Prejudice', author: { id, name: 'Jane Austen' } })
  })

  test('has a program of 43 lines at most', () => {
    const program = pages.find(({ path }) => path === OWN_API)?.files.get('app.ts') ?? ''
    const lines = program.trim().split('\n')
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.length).toBeLessThanOrEqual(43)
  })

  test('is in the README of the package as well', async () => {
    const section = await ownApiSection(join(packageRoot, '../..', OWN_API))
    expect(section).toContain('drizzle-kit push')
    expect(await ownApiSection(join(packageRoot, 'README.md'))).toBe(section)
  })

  test('comes with an install line for every peer dependency', async () => {
    const lines = (await ownApiSection(join(packageRoot, 'README.md'))).match(/npm install .+?(?=`|$)/gm) ?? []
    const named = new Set(lines.flatMap(line => line.split(' ').slice(2)))
    expect(Object.keys(manifest.peerDependencies).filter(name => !named.has(name))).toEqual([])
  })
})

describe('a page', () => {
  const block = (info: string, ...lines: readonly string[]) => [`\`\`\`${info}`, ...lines, '```', ''].join('\n')

  test('is a module with the line numbers of the page', () => {
    const page = readPage('a.md', `# A\n\n${block('ts', 'const a = 1')}${block('ts', 'const b = 2')}`)
    expect(page.module.split('\n')).toEqual(['', '', '', 'const a = 1', '', '', 'const b = 2', ''])
  })

  test('has another module behind "another program", with the line numbers of the page', () => {
    const text = `${block('ts', 'const a = 1')}<!-- another program -->\n${block('ts', 'const a = 2')}`
    const programs = programsOf('a.md', text)
    expect(programs.map(({ path }) => path)).toEqual(['a.md', 'a.2.md'])
    expect(programs.map(({ module }) => module.split('\n'))).toEqual([
      ['', 'const a = 1', ''],
      ['', '', '', '', '', 'const a = 2', ''],
    ])
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
