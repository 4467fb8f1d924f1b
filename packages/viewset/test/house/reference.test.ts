import { beforeAll, describe, expect, test } from 'vitest'
import { publicEntries } from '../../../../scripts/entries.ts'
import { commentBefore } from '../../../../scripts/reference/doc-comment.ts'
import { type Reference, readReference } from '../../../../scripts/reference.ts'
import manifest from '../../package.json' with { type: 'json' }

describe('the reference of the package', () => {
  let reference: Reference
  beforeAll(async () => {
    reference = await readReference()
  }, 120_000)

  test('has a page for each entry, and one that lists them', () => {
    const entries = publicEntries(manifest).map(path => path.replace(/^\./, 'viewset').replaceAll('/', '-'))
    expect(reference.pages.map(({ name }) => name)).toEqual([...entries.map(name => `${name}.md`), 'README.md'])
    const [index] = reference.pages.slice(-1)
    expect(entries.filter(name => !index?.text.includes(`](${name}.md)`))).toEqual([])
  })

  test('knows a sentence about each export', () => {
    expect(reference.undocumented).toEqual([])
  })
})

describe('a doc comment', () => {
  const read = (comment: string) => commentBefore(`${comment}\nexport const a = 1`, comment.length + 1)

  test('is text, what is thrown, and examples', () => {
    const comment = [
      '/**',
      ' * One',
      ' * sentence.',
      ' *',
      ' * Another.',
      ' *',
      ' * @throws Error, if',
      ' * so',
      ' * @example',
      ' * a()',
      ' * b()',
      ' */',
    ]
    expect(read(comment.join('\n'))).toEqual({
      text: 'One sentence.\n\nAnother.',
      throws: ['Error, if so'],
      examples: ['a()\nb()'],
    })
  })

  test('in one line may end with what is thrown', () => {
    expect(read('/** The record. @throws NotFound */')).toEqual({
      text: 'The record.',
      throws: ['NotFound'],
      examples: [],
    })
  })

  test('stands right before what it is about', () => {
    expect(read('/** Of another. */\nexport const b = 2')).toBeUndefined()
  })
})
