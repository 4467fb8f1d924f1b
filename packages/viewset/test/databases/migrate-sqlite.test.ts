import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { kit, migrateSqlite } from 'viewset/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const { generateSQLiteDrizzleJson, generateSQLiteMigration } = createRequire(import.meta.url)(
  'drizzle-kit/api',
) as typeof import('drizzle-kit/api')

type Tables = Parameters<typeof generateSQLiteDrizzleJson>[0]

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'viewset-migrate-'))
  path = join(folder, 'test.db')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The migrations that drizzle-kit writes for these versions of the tables. */
async function migrationsOf(...versions: readonly Tables[]): Promise<string[]> {
  const migrations: string[] = []
  let before = await generateSQLiteDrizzleJson({})
  for (const tables of versions) {
    const after = await generateSQLiteDrizzleJson(tables)
    const statements = await generateSQLiteMigration(before, after)
    migrations.push(statements.join('\n--> statement-breakpoint\n'))
    before = after
  }
  return migrations
}

async function writeMigrations(migrations: readonly string[]): Promise<{ migrationsFolder: string }> {
  const migrationsFolder = join(folder, 'migrations')
  await mkdir(join(migrationsFolder, 'meta'), { recursive: true })
  const entries = migrations.map((_, idx) => ({
    idx,
    version: '6',
    when: idx + 1,
    tag: `000${idx}`,
    breakpoints: true,
  }))
  const journal = JSON.stringify({ version: '7', dialect: 'sqlite', entries })
  await writeFile(join(migrationsFolder, 'meta/_journal.json'), journal)
  for (const [idx, text] of migrations.entries()) await writeFile(join(migrationsFolder, `000${idx}.sql`), text)
  return { migrationsFolder }
}

function inDatabase<Result>(work: (database: Database.Database) => Result): Result {
  const database = new Database(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const execute = (text: string) => inDatabase(database => database.exec(text))
const rows = (text: string) => inDatabase(database => database.prepare(text).all())

/** drizzle-kit creates a table again to make a column nullable. */
const tables = (onDelete: 'cascade' | 'restrict', { nameIsRequired = true } = {}) => {
  const name = kit.text(100)
  const authors = kit.table('authors', {
    id: kit.integer().primaryKey(),
    name: nameIsRequired ? name.notNull() : name,
  })
  const books = kit.table('books', {
    id: kit.integer().primaryKey(),
    author: kit.foreignKey(authors, { onDelete }).notNull(),
  })
  return { authors, books }
}

describe.each(['cascade', 'restrict'] as const)('on delete %s', onDelete => {
  test('a migration that rebuilds a table keeps the rows that refer to it', async () => {
    const [first = '', rebuild = ''] = await migrationsOf(tables(onDelete), tables(onDelete, { nameIsRequired: false }))
    expect(rebuild).toContain('DROP TABLE `authors`')
    await migrateSqlite(path, await writeMigrations([first]))
    execute("insert into authors values (1, 'Jane Austen'); insert into books values (7, 1)")
    await migrateSqlite(path, await writeMigrations([first, rebuild]))
    expect(rows('select id, author_id from books')).toEqual([{ id: 7, author_id: 1 }])
    execute('insert into authors (id) values (2)')
    expect(() => execute('insert into books values (8, 3)')).toThrow('FOREIGN KEY constraint failed')
  })
})

test('a migration that removes a row of others is undone, and the error names their table', async () => {
  const [first = ''] = await migrationsOf(tables('restrict'))
  await migrateSqlite(path, await writeMigrations([first]))
  execute("insert into authors values (1, 'Jane Austen'); insert into books values (7, 1), (8, 1)")
  const migrations = await writeMigrations([first, 'delete from authors'])
  const message = 'The migrations leave 2 rows of "books" that refer to no row of "authors". Nothing was migrated.'
  for (const _again of [1, 2]) {
    await expect(migrateSqlite(path, migrations)).rejects.toThrow(message)
    expect(rows('select name from authors')).toEqual([{ name: 'Jane Austen' }])
  }
})

test('a start without new migrations does not read the rows', async () => {
  const [first = ''] = await migrationsOf(tables('restrict'))
  const migrations = await writeMigrations([first])
  await migrateSqlite(path, migrations)
  execute('pragma foreign_keys = off; insert into books values (7, 1)')
  await migrateSqlite(path, migrations)
  expect(rows('select count(*) as count from __drizzle_migrations')).toEqual([{ count: 1 }])
})
