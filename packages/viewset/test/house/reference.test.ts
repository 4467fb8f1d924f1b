import { beforeAll, describe, expect, test } from 'vitest'
import { publicEntries } from '../../../../scripts/entries.ts'
import { commentBefore } from '../../../../scripts/reference/doc-comment.ts'
import { GROUPS } from '../../../../scripts/reference/groups.ts'
import { type Reference, readReference } from '../../../../scripts/reference.ts'
import manifest from '../../package.json' with { type: 'json' }

describe('the reference of the package', () => {
  let reference: Reference
  beforeAll(async () => {
    reference = await readReference()
  })

  const page = (name: string) => reference.pages.find(one => one.name === name)?.text ?? ''

  test('has a page for each entry and each subject of the first one, and one that lists them', () => {
    const entries = publicEntries(manifest).map(path => `${path.replace(/^\./, 'viewset').replaceAll('/', '-')}.md`)
    const subjects = GROUPS.map(group => group.page)
    const names = [...entries, ...subjects]
    expect(reference.pages.map(({ name }) => name).toSorted()).toEqual([...names, 'README.md'].toSorted())
    expect(names.filter(name => !page('README.md').includes(`](${name})`))).toEqual([])
  })

  test.each([
    ['columns', 'models.md', 'ColumnKit'],
    ['relations', 'relation-fields.md', 'IdToDataField'],
    ['permissions', 'access.md', 'AllowAny'],
    ['mixins', 'mixins.md', 'ListModelMixin'],
    ['viewset classes', 'viewsets.md', 'BaseViewSet'],
    ['errors', 'errors.md', 'NotFound'],
    ['imports', 'import.md', 'importModel'],
  ])('explains %s on %s', (_, name, heading) => {
    expect(page(name)).toContain(`\n### ${heading}\n`)
  })

  test('lists the settings of a mixin with their types and defaults', () => {
    expect(page('mixins.md')).toContain(
      '| `appendIndexes`<br>`boolean` | true | Whether items have their position as `index`. |\n',
    )
    expect(page('mixins.md')).toContain('| `upsertFields`<br>`readonly FieldName<M>[]` | required |')
  })

  test('lists the settings of a viewset class: those of every resource, of its mixins and of their filters', () => {
    const [, section = ''] = page('viewsets.md').split('\n### BaseViewSet\n')
    const [table = ''] = section.split('\n### ')
    const names = Array.from(table.matchAll(/^\| \[`(\w+)`\]/gm), ([, name]) => name)
    expect(names).toEqual(expect.arrayContaining(['model', 'permissionClasses', 'appendIndexes', 'filterFields']))
    expect(names).not.toContain('bulkBatchSize')
    expect(table).toContain('| [`destroyStatus`](mixins.md#destroymodelmixin)<br>`200 \\| 204` | 204 |')
  })

  test('says what each setting of a mixin and of a viewset class means', () => {
    const rows = ['mixins.md', 'viewsets.md']
      .flatMap(name => page(name).split('\n'))
      .filter(row => row.includes('<br>'))
    expect(rows.length).toBeGreaterThan(50)
    expect(rows.filter(row => row.endsWith('|  |'))).toEqual([])
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
