import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/snippets.ts'

/** The site shows this many characters of a line without a scroll bar. */
const WIDTH = 88

/** Pages that still have wider code. Mend a page and delete its line; add none. */
const PENDING = [
  'README.md',
  'docs/access.md',
  'docs/another-database.md',
  'docs/authentication.md',
  'docs/background-work.md',
  'docs/bulk.md',
  'docs/client.md',
  'docs/command-line.md',
  'docs/configuration.md',
  'docs/cookbook/audit-log.md',
  'docs/cookbook/custom-action.md',
  'docs/cookbook/custom-kind-and-filter.md',
  'docs/cookbook/fields-by-role.md',
  'docs/cookbook/file-attachments.md',
  'docs/cookbook/nested-routes.md',
  'docs/cookbook/nightly-import.md',
  'docs/cookbook/pgbouncer.md',
  'docs/cookbook/rate-limits.md',
  'docs/cookbook/reverse-proxy.md',
  'docs/cookbook/soft-delete.md',
  'docs/cookbook/spreadsheet-round-trip.md',
  'docs/errors.md',
  'docs/events.md',
  'docs/exactly-once.md',
  'docs/existing-database.md',
  'docs/export.md',
  'docs/faces.md',
  'docs/failed-rows.md',
  'docs/files-people-have-policies.md',
  'docs/files-people-have-rows.md',
  'docs/files-people-have.md',
  'docs/files.md',
  'docs/filtering.md',
  'docs/from-django-rest-framework.md',
  'docs/getting-started.md',
  'docs/import.md',
  'docs/in-your-application.md',
  'docs/job-queues.md',
  'docs/kinds.md',
  'docs/mixins.md',
  'docs/models.md',
  'docs/observability.md',
  'docs/openapi.md',
  'docs/ordering.md',
  'docs/pagination.md',
  'docs/records-and-transactions.md',
  'docs/reference-page.md',
  'docs/relations.md',
  'docs/scaling.md',
  'docs/schema.md',
  'docs/serializers.md',
  'docs/tenants.md',
  'docs/testing-faces.md',
  'docs/testing.md',
  'docs/viewsets.md',
  'packages/viewset/README.md',
]

/** The lines of a page's code blocks that are wider than the site shows. */
function wideLines(markdown: string): readonly string[] {
  const blocks = markdown.matchAll(/^( *(?:- )?)(`{3,})[^\n]*\n(.*?)^ *\2 *$/gms)
  return [...blocks].flatMap(([, before = '', , code = '']) =>
    code
      .split('\n')
      .map(line => (line.startsWith(' '.repeat(before.length)) ? line.slice(before.length) : line))
      .filter(line => line.length > WIDTH),
  )
}

const pages = ['README.md', 'packages/viewset/README.md', ...globSync('docs/**/*.md', { cwd: root })]
  .filter(path => !path.startsWith('docs/reference/'))
  .toSorted()
const linesOf = (path: string) => wideLines(readFileSync(join(root, path), 'utf8'))

test.each(pages.filter(path => !PENDING.includes(path)))(`%s has no code wider than ${WIDTH} characters`, path => {
  expect(linesOf(path)).toEqual([])
})

test('a page that is mended is no longer pending', () => {
  expect(PENDING.filter(path => !pages.includes(path) || linesOf(path).length === 0)).toEqual([])
})

describe('a line is', () => {
  const wide = 'x'.repeat(WIDTH + 1)

  test.each([
    ['too wide in a block of code', `\`\`\`ts\n${wide}\n\`\`\`\n`, [wide]],
    ['too wide in the block of a list', `- \`\`\`ts\n  ${wide}\n  \`\`\`\n`, [wide]],
    ['measured without the indentation of its list', `- \`\`\`ts\n  ${wide.slice(1)}\n  \`\`\`\n`, []],
    ['free in prose and tables', `${wide}\n\n| ${wide} |\n|---|\n`, []],
  ])('%s', (_, markdown, expected) => {
    expect(wideLines(markdown)).toEqual(expected)
  })
})
