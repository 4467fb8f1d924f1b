import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../../../viewset/src/cli/run.ts'
import { ProjectFolder } from '../../../viewset/test/support/command.ts'

// What advice is right, other tests hold to the plans of both databases: here is what the command is told, and tells.

const towns = kit.table('towns', {
  id: kit.uuid().primaryKey(),
  name: kit.text(30).notNull(),
  country: kit.text(2).notNull(),
})
const rivers = kit.table('rivers', { id: kit.uuid().primaryKey(), name: kit.text(30).notNull() })

const RESOURCES = `
import { AllowAny, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { kit } from 'viewset/sqlite'

const towns = kit.table('towns', {
  id: kit.uuid().primaryKey(),
  name: kit.text(30).notNull(),
  country: kit.text(2).notNull(),
}, t => [kit.index(t.country, t.name, t.id)])
const rivers = kit.table('rivers', { id: kit.uuid().primaryKey(), name: kit.text(30).notNull() })
const permissionClasses = [AllowAny]
export const TownViewSet = ReadOnlyViewSet({
  model: towns,
  serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'country'] }),
  permissionClasses,
  ordering: 'name',
  orderingFields: ['name'],
  filterFields: ['country'],
})
export const RiverViewSet = ReadOnlyViewSet({
  model: rivers,
  serializer: BaseModelSerializer(rivers, { fields: ['id', 'name'] }),
  permissionClasses,
  ordering: '-name',
})
`

let project: ProjectFolder
let db: TestDatabase

beforeAll(async () => {
  project = await ProjectFolder.make()
  db = await createTestDatabase({ schema: { towns, rivers } })
  const insert = `insert into towns with recursive s(n) as (select 1 union all select n + 1 from s where n < 10500)
    select n, 'Town ' || n, 'NO' from s`
  await db.database.driver.run({ text: insert }, [])
  await project.write('resources.ts', RESOURCES)
  await project.write(
    'viewset.config.ts',
    `import { AllowAny } from 'viewset'
import { defineConfig } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { RiverViewSet, TownViewSet } from './resources.ts'
export default defineConfig({
  resources: { TownViewSet },
  api: { resources: { rivers: RiverViewSet, towns: TownViewSet } },
  database: () => sqlite(${JSON.stringify(db.url)}),
})`,
  )
})
afterAll(async () => {
  await project.remove()
  await db.drop()
})

const ask = (...args: readonly string[]) => project.viewset(['index-advice', ...args])

test('people are told what is missing where there are many rows, for which requests, and the line for the model', async () => {
  expect(await ask()).toEqual({
    code: 0,
    stderr: '',
    stdout: `towns, about 10,500 rows
  c.index(t.name, t.id)
    for TownViewSet: every list, ?ordering=name
  c.index(t.country, t.name, t.id)
    is in the model, but not in the database: a migration is missing
    for TownViewSet: ?country=

Each index makes writes a little dearer. Take those that your clients ask for; an ordering or a filter that
nobody uses can leave the resource instead. --sql prints the statements that make them.

Left out, with fewer than 10,000 rows: rivers. With --rows 0 they are told of, too.
`,
  })
  const all = await ask('--rows', '0')
  expect(all.stdout).toContain('rivers, 0 rows\n  c.index(t.name, t.id)\n    for rivers: every list\n')
  expect(all.stdout).toContain(
    'Note: rivers: lists may be ordered by each of 2 fields, since it has no orderingFields;',
  )
})

test('programs are told it as JSON, and a database as SQL, after which nothing is missing', async () => {
  const { stdout: json } = await ask('--json')
  expect(JSON.parse(json).tables).toMatchObject([
    { schema: null, table: 'towns', rows: 10_500, indexes: [{ columns: ['name', 'id'] }, { declared: true }] },
  ])
  const { stdout: sql } = await ask('--sql', '--rows', '0')
  expect(sql).toContain('-- c.index(t.name, t.id)\n-- TownViewSet: every list, ?ordering=name\n')
  for (const text of sql.replace(/^--.*$/gm, '').split(';')) {
    if (text.trim() !== '') await db.database.driver.run({ text }, [])
  }
  expect((await ask('--rows', '0')).stdout).toMatch(
    /^Nothing is missing: the database has the indexes that the requests of its 2 resources ask for\.\n/,
  )
  expect((await ask('--sql')).stdout).toBe('-- Nothing is missing.\n')
})

test.each([
  [['--rows', 'many'], 2, '--rows is a whole number such as 10000, not "many".'],
  [['--json', '--sql'], 2, 'Either --json or --sql.'],
  [['towns'], 2, 'What is "towns"? All resources are looked at.'],
  [['--format', 'csv'], 2, 'index-advice takes no --format. See viewset --help.'],
  [['--config', 'none.ts'], 1, 'none.ts.'],
] as const)('what is wrong is said of %s', async (args, code, problem) => {
  await expect(run(['index-advice', ...args], project.path)).rejects.toMatchObject({
    exitCode: code,
    message: expect.stringContaining(problem),
  })
})
