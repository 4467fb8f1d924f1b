import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../viewset/src/cli/run.ts'
import { ProjectFolder } from '../../../viewset/test/support/command.ts'

let project: ProjectFolder
beforeAll(async () => {
  project = await ProjectFolder.make()
})
afterAll(() => project?.remove())

test('search-index writes what makes the indexes for search, as a migration takes it', async () => {
  const tableOf = (dialect: string) => `
import { kit as c } from 'viewset/${dialect}'
export const notes = c.table('notes', { id: c.integer().primaryKey(), text: c.text() }, t => [c.searchIndex(t.text)])
export const plain = c.table('plain', { id: c.integer().primaryKey() })`
  await project.write('searched.ts', tableOf('sqlite'))
  await project.write('searched-pg.ts', tableOf('pg'))
  const printed = async (models: string) => (await run(['search-index', '--models', models], project.path)).text
  const statements = (await printed('searched.ts')).split('--> statement-breakpoint\n')
  expect(statements.map(text => text.split(' ').slice(0, 3).join(' '))).toEqual([
    ...['insert', 'update', 'delete'].map(() => 'DROP TRIGGER IF'),
    ...['notes_search', 'notes_search_keys'].map(() => 'DROP TABLE IF'),
    'CREATE VIRTUAL TABLE',
    'INSERT INTO "notes_search"',
    ...['insert', 'update', 'delete'].map(event => `CREATE TRIGGER "notes_search_${event}"`),
  ])
  expect(await printed('searched-pg.ts')).toBe('CREATE EXTENSION IF NOT EXISTS pg_trgm;\n')
})
