import { beforeAll, describe, expect, test } from 'vitest'
import { commentBefore } from '../../../../scripts/reference/doc-comment.ts'
import { type Reference, readReference, writtenPages } from '../../../../scripts/reference.ts'

describe('the reference of the package', () => {
  let reference: Reference
  beforeAll(async () => {
    reference = await readReference()
  }, 120_000)

  test('is what the doc comments say; `npm run docs:reference` writes it', async () => {
    const written = await writtenPages()
    const stale = reference.pages.filter(({ name, text }) => written.get(name) !== text).map(({ name }) => name)
    const known = reference.pages.map(({ name }) => name)
    expect({ stale, unknown: [...written.keys()].filter(name => !known.includes(name)) }).toEqual({
      stale: [],
      unknown: [],
    })
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
