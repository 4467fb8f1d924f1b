import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProjectFolder } from '../../../viewset/test/support/command.ts'
import { describeDialects } from '../../../viewset/test/support/dialects.ts'

const CODE = "\nthrow new Error('a name ran');//"

/** Names that try to be code, secrets by other names, and a secret that others refer to. */
const TABLES = `
create view "seen${CODE}" as select 1 as one;
create table "heap${CODE}" (at int);
create table session (token varchar(40) primary key, name text);
create table visit (id int primary key, session varchar(40) references session(token));
create table person (id int primary key, name text, passwordhash text, "passWord" text, refreshtoken text, tokens text, passwort text);
create index "by${CODE}" on person (lower(name));
`

const POSTGRES = `
create schema "1st";
create type status as enum ('a');
create type "Status" as enum ('b');
create type "2nd" as enum ('c');
create type nothing as enum ();
create domain "kind\rthrow 1//" as text;
create table status_enum (id int primary key, a status, b "Status", c "2nd", d nothing, e "kind\rthrow 1//");
create table "1st".first_schema (id int primary key);
`

async function make(url: string): Promise<void> {
  if (!url.startsWith('postgres')) {
    const handle = new Sqlite(url)
    handle.exec(TABLES)
    handle.close()
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  await client.query(TABLES + POSTGRES).finally(() => client.end())
}

describeDialects('viewset inspect of a database that nobody can trust', dialect => {
  let folder: ProjectFolder
  let database: TestDatabase
  const draft = (name: string) => readFile(join(folder.path, 'src', name), 'utf8')

  beforeAll(async () => {
    folder = await ProjectFolder.make()
    database = await createTestDatabase(dialect.server)
    await make(database.url)
    const outcome = await folder.viewset(['inspect', '--url', database.url, '--schema', 'public, 1st', '--out', 'src'])
    expect([outcome.code, outcome.stderr]).toEqual([0, ''])
  })
  afterAll(async () => {
    await database?.drop()
    await folder?.remove()
  })

  const NAME = 'throw-new-error-a-name-ran'

  test('runs no name as code, and compiles', async () => {
    const drafted: { resources: object } = await import(join(folder.path, 'src/resources/index.ts'))
    expect(Object.keys(drafted.resources).sort()).toEqual(
      dialect.name === 'sqlite'
        ? [`heap-${NAME}`, 'person', 'session', 'visit']
        : ['first-schema', `heap-${NAME}`, 'person', `seen-${NAME}`, 'session', 'status-enum', 'visit'],
    )
    expect(await draft('resources/index.ts')).toMatch(/^\/\/ - seenThrowNewErrorANameRan\w*[: ]/m)
    expect(await folder.compile('src')).toBe('')
  })

  test('shows no secret, by whichever name, and not where others refer to it', async () => {
    expect(await draft('resources/person.ts')).toContain("fields: ['id', 'name'],")
    expect(await draft('resources/visit.ts')).toContain("fields: ['id'],")
    expect(await draft('resources/index.ts')).toContain('// - visit.session refers to what looks like a secret')
  })
})
