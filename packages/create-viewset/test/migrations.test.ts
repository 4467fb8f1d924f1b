import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
// Declares what the tests' set-up provides.
import type {} from '../../viewset/test/support/global-setup.ts'
import { output, Projects, workspace } from './support/projects.ts'

let projects: Projects
beforeAll(async () => {
  projects = await Projects.create()
})
afterAll(() => projects.remove())

const fileOf = (project: string) => join(project, `data/${basename(project)}.db`)

/** Changes a line of the models, and writes the migration. */
async function change(project: string, from: string, to: string): Promise<void> {
  const models = join(project, 'src/models.ts')
  const text = await readFile(models, 'utf8')
  expect(text).toContain(from)
  await writeFile(models, text.replace(from, to))
  expect(await output(project, workspace, 'drizzle-kit', 'generate', '--name', 'changed')).toContain('0001_changed.sql')
}

const BOOK = "values ('0197-b', '9780141439518', 'Emma', '0197-a')"
const ROWS = `insert into authors (id, name) values ('0197-a', 'Jane Austen');
insert into books (id, isbn, title, author_id) ${BOOK}`

test.each(['restrict', 'cascade'])(
  'a table that is created again keeps the rows of others (on delete %s)',
  async onDelete => {
    const project = await projects.write(`rebuilt-${onDelete}`)
    const migration = join(project, 'migrations/0000_initial.sql')
    const initial = await readFile(migration, 'utf8')
    await writeFile(migration, initial.replace('ON DELETE restrict', `ON DELETE ${onDelete}`))
    expect(await output(project, workspace, 'node', 'src/migrate.ts')).toBe('')
    const database = new Database(fileOf(project))
    try {
      database.exec(ROWS)
      await change(project, 'name: c.text(100).notNull().unique()', 'name: c.text(100).unique()')
      expect(await readFile(join(project, 'migrations/0001_changed.sql'), 'utf8')).toContain('DROP TABLE `authors`')
      expect(await output(project, workspace, 'node', 'src/migrate.ts')).toBe('')
      expect(database.prepare('select title from books').all()).toEqual([{ title: 'Emma' }])
    } finally {
      database.close()
    }
  },
)

describe('a required column for a table with rows', () => {
  const add = (project: string) => change(project, 'price: c', 'pages: c.integer().notNull(),\n      price: c')
  const explained = (reason: string, statement: string) =>
    `The migration migrations/0001_changed.sql failed, so no migration was applied: ${reason}.

${statement}

The table has rows without a value for this column.
Give the column a default, or make it nullable, in src/models.ts.
Then remove the migration and write it again:

  npx drizzle-kit drop
  npm run migrations

`

  test('is explained on SQLite', async () => {
    const project = await projects.write('required')
    await output(project, workspace, 'node', 'src/migrate.ts')
    const database = new Database(fileOf(project))
    database.exec(ROWS)
    database.close()
    await add(project)
    expect(await output(project, workspace, 'node', 'src/migrate.ts')).toBe(
      explained(
        'Cannot add a NOT NULL column with default value NULL',
        'ALTER TABLE `books` ADD `pages` integer NOT NULL;',
      ),
    )
  })

  test('is explained on SQLite if the column was nullable before', async () => {
    const project = await projects.write('filled')
    await output(project, workspace, 'node', 'src/migrate.ts')
    const database = new Database(fileOf(project))
    database.exec(ROWS)
    database.close()
    await change(project, 'price: c.decimal(8, 2)', 'price: c.decimal(8, 2).notNull()')
    const printed = await output(project, workspace, 'node', 'src/migrate.ts')
    expect(printed).toContain('0001_changed.sql failed, so no migration was applied: NOT NULL constraint failed: ')
    expect(printed).toContain('\nGive these rows a value first, or let the column stay nullable in src/models.ts.\n')
  })

  test('is explained on PostgreSQL', async () => {
    const database = await createTestDatabase({ postgres: inject('postgresUrl') })
    try {
      const project = await projects.write('required-postgres', { database: 'postgres' })
      const variables = { ...workspace, DATABASE_URL: database.url }
      await output(project, variables, 'node', 'src/migrate.ts')
      for (const text of ROWS.replaceAll('0197-', '01970000-0000-7000-8000-00000000000').split(';')) {
        await database.database.driver.run({ text }, [])
      }
      await add(project)
      expect(await output(project, variables, 'node', 'src/migrate.ts')).toBe(
        explained(
          'column "pages" of relation "books" contains null values',
          'ALTER TABLE "books" ADD COLUMN "pages" integer NOT NULL;',
        ),
      )
    } finally {
      await database.drop()
    }
  })
})
