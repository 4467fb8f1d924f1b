import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { kit } from 'viewset/sqlite'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/run.ts'
import { ProjectFolder } from '../support/command.ts'
import { editedWorkbook } from '../support/edited-workbook.ts'

// What files do to a database, the tests of imports and exports show: here is what commands are told, and what they tell.

const countries = kit.table('countries', {
  ...kit.BaseModelMixin(),
  code: kit.text(2).notNull().unique(),
  name: kit.text(30).notNull(),
  area: kit.integer(),
  owner: kit.text(),
})

const RESOURCES = `
import { BaseModelSerializer, ImportableViewSet, importModel, IsAuthenticated } from 'viewset'
import { kit } from 'viewset/sqlite'
import { eq } from 'drizzle-orm'

const countries = kit.table('countries', {
  ...kit.BaseModelMixin(),
  code: kit.text(2).notNull().unique(),
  name: kit.text(30).notNull(),
  area: kit.integer(),
  owner: kit.text(),
})
const rows = importModel({ model: countries, fields: ['code', 'name', 'area'], uniqueFields: ['code'] })
const config = {
  model: countries,
  serializer: BaseModelSerializer(countries, { fields: ['code', 'name', 'area'] }),
  permissionClasses: [IsAuthenticated],
  importPermissionClasses: [IsAuthenticated],
  exportPermissionClasses: [IsAuthenticated],
  importFileConfig: { fileFormat: ['csv', 'xlsx'], order: ['countries'], models: { countries: rows } },
  filterFields: { area: ['gte'] },
  orderingFields: ['name'],
  fixedValues: view => ({ owner: view.user?.id ?? 'nobody' }),
}
export const CountryViewSet = ImportableViewSet(config)
export class SlowViewSet extends ImportableViewSet({
  ...config,
  importFileConfig: { ...config.importFileConfig, chunkSize: 2 },
}) {
  async performCreate(values) {
    if (values.code === 'SE') {
      process.stderr.write('waiting')
      const waiting = setInterval(() => {}, 1000)
      await new Promise(resolve => this.request.signal.addEventListener('abort', resolve))
      clearInterval(waiting)
    }
    return super.performCreate(values)
  }
}
export const CarefulViewSet = ImportableViewSet({
  ...config,
  importFileConfig: {
    ...config.importFileConfig,
    prepareRow(row, { warn }) {
      if (Number(row.area) === 0) warn('area', 'This area is 0.')
      return row
    },
  },
})
export const HeaderViewSet = ImportableViewSet({
  ...config,
  queryset: view => eq(countries.code, view.request.headers['x-country']),
})
`

let project: ProjectFolder
let db: TestDatabase
const path = (name: string) => join(project.path, name)

beforeAll(async () => {
  project = await ProjectFolder.make()
  db = await createTestDatabase({ schema: { countries } })
})
beforeEach(async () => {
  await project.clear()
  await db.clear()
  await project.write('resources.ts', RESOURCES)
  await project.write(
    'viewset.config.ts',
    `import { defineConfig } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import * as resources from './resources.ts'
export default defineConfig({ resources, database: () => sqlite(${JSON.stringify(db.url)}) })`,
  )
})
afterAll(async () => {
  await project.remove()
  await db.drop()
})

async function stored(): Promise<readonly (readonly unknown[])[]> {
  const { rows } = await db.database.driver.run(
    { text: 'select code, name, area, owner from countries order by code' },
    [],
  )
  return rows
}

describe('viewset import', () => {
  const FILE = 'code,name,area,note\nNO,Norway,385,a\nSE,Sweden,large,b\nDNK,Denmark,43,c\n'
  const load = (...args: readonly string[]) => project.viewset(['import', ...args, '--resource', 'CountryViewSet'])

  test('tells what is stored and what is wrong, and writes the rows that failed to be imported again', async () => {
    await project.write('data/countries.csv', FILE)
    const first = await load('data/countries.csv', '--append', '--user', 'ann')
    const failed = path('data/countries_failed.csv')
    expect(first.stdout.split('\n')).toEqual([
      'countries.csv: 3 rows: 2 failed, 1 created, 0 updated.',
      '2 of 3 rows failed; the other 1 was stored.',
      'Columns that nothing reads: note',
      '',
      'Row  Column  What is wrong',
      expect.stringMatching(/^ {2}3 {2}area {4}".*" is not a whole number\. Write it like 42\.$/),
      expect.stringMatching(/^ {2}4 {2}code {4}\S/),
      '',
      `To be put right and imported again: ${failed}`,
      '',
    ])
    expect([first.code, first.stderr]).toEqual([1, ''])
    expect(await stored()).toEqual([['NO', 'Norway', 385n, 'ann']])

    const content = await readFile(failed, 'utf8')
    expect(content).toMatch(/^Errors,code,name,area,note\r\n.*,SE,Sweden,large,b\r\n.*,DNK,/)
    await project.write('data/countries_failed.csv', content.replace('SE,Sweden,large', 'SE,Sweden,450'))
    const second = await load('data/countries_failed.csv', '--append', '--json')
    expect(second.code).toBe(1)
    expect(JSON.parse(second.stdout)).toMatchObject({
      success: false,
      processed: 2,
      created: 1,
      errors: [{ row: 3, column: 'code' }],
      failed_rows: path('data/countries_failed_2.csv'),
    })
    expect(await readdir(path('data'))).toEqual(['countries.csv', 'countries_failed.csv', 'countries_failed_2.csv'])
  })

  test('tells what is stored also where the file of the rows that failed cannot be written', async () => {
    await project.write('countries.csv', FILE)
    const told = await load('countries.csv', '--append', '--failed-rows', 'nowhere/failed.csv', '--json')
    expect(told.code).toBe(1)
    expect(told.stderr).toContain('The rows that failed could not be written to a file: ENOENT')
    expect(JSON.parse(told.stdout)).toMatchObject({ processed: 3, failed: 2, created: 1, failed_rows: null })
    expect((await stored()).map(([code]) => code)).toEqual(['NO'])
  })

  test('stores nothing where it is tried, and ends with 0 where all is well', async () => {
    await project.write('countries.csv', 'Kürzel,name,area\nNO,Norway,385\n')
    await project.write('mapping.json', '{"Kürzel": "code"}')
    const tried = await load('countries.csv', '--append', '--dry-run', '--mapping', 'mapping.json')
    expect(tried).toMatchObject({
      code: 0,
      stdout: 'countries.csv: 1 row: 0 failed, 1 created, 0 updated.\nThis was a dry run: nothing was stored.\n',
    })
    expect(await stored()).toEqual([])
  })

  test('reports warnings, and lets their rows fail with --fail-on-warnings', async () => {
    await project.write('countries.csv', 'code,name,area\nNO,Norway,385\nVA,Vatican,0\n')
    const careful = (...args: readonly string[]) =>
      project.viewset(['import', 'countries.csv', '--append', '--resource', 'CarefulViewSet', ...args])
    expect(await careful()).toMatchObject({
      code: 0,
      stdout:
        'countries.csv: 2 rows: 0 failed, 2 created, 0 updated, 0 skipped, 1 warned.\n\n' +
        'Row  Column  Warning\n  3  area    This area is 0.\n',
    })
    const strict = await careful('--fail-on-warnings', '--json')
    expect(strict.code).toBe(1)
    expect(JSON.parse(strict.stdout)).toMatchObject({ failed: 1, updated: 1, errors: [{ row: 3, field: 'area' }] })
  })

  test('reads below the row of --header-row, with other --values', async () => {
    await project.write('countries.csv', 'code,name,area\nNorge,Norway,385\ncode,name,area\nSverige,Sweden,450\n')
    await project.write('values.json', '{"code": {"Norge": "NO", "Sverige": "SE"}}')
    const read = await load('countries.csv', '--append', '--header-row', '3', '--values', 'values.json')
    expect(read).toMatchObject({ code: 0, stdout: 'countries.csv: 1 row: 0 failed, 1 created, 0 updated.\n' })
    expect((await stored()).map(([code]) => code)).toEqual(['SE'])
    const refused = [
      [
        ['--header-row', 'x'],
        '--header-row takes the number of a row, or those of sheets as JSON, {"Prices": 4}, not "x".\n',
      ],
      [
        ['--header-row', '0'],
        '--header-row takes the number of a row, or those of sheets as JSON, {"Prices": 4}, not "0".\n',
      ],
      [['--header-row', '{"Prices": 3}'], /no sheet "Prices", since it is CSV/],
      [['--header-row', '30'], /Row 30 cannot be the header/],
      [['--values', 'none.json'], /none\.json cannot be read: ENOENT/],
      [['--values', 'countries.csv'], /countries\.csv has no values: a JSON object/],
      [['--mapping', 'countries.csv'], /countries\.csv is no mapping: a JSON object/],
    ] as const
    for (const [args, problem] of refused) {
      const { code, stderr } = await load('countries.csv', '--append', ...args)
      expect([args, code]).toEqual([args, 2])
      expect(stderr).toMatch(problem)
    }
  })

  test('stores nothing with --all-or-nothing if a row fails, and writes a file of all rows', async () => {
    await project.write('countries.csv', 'code,name,area\nNO,Norway,385\nSE,Sweden,large\n')
    const { code, stdout } = await load('countries.csv', '--append', '--all-or-nothing')
    expect(code).toBe(1)
    expect(stdout).toContain('1 of 2 rows failed, so nothing was stored: all is as it was before.')
    expect(await stored()).toEqual([])
    expect(await readFile(path('countries_failed.csv'), 'utf8')).toMatch(
      /^Errors,code,name,area\r\n,NO,Norway,385\r\n.*,SE,/,
    )
  })

  test('reads standard input, and replaces', async () => {
    await db.database.driver.run({ text: RIVAL }, [])
    const command = project.start(['import', '-', '--resource', 'CountryViewSet', '--replace'])
    const ended = new Promise(resolve => command.once('exit', resolve))
    command.stdin.end('code,name,area\nNO,Norway,385\n')
    expect(await text(command.stdout)).toBe('Standard input: 1 row: 0 failed, 1 created, 0 updated, 1 deleted.\n')
    expect(await ended).toBe(0)
    expect(await stored()).toEqual([['NO', 'Norway', 385n, 'nobody']])
  })

  test('stops between two chunks, and says what is stored', async () => {
    await project.write(
      'countries.csv',
      'code,name,area\nNO,Norway,1\nFI,Finland,2\nSE,Sweden,3\nDK,Denmark,4\nIS,Iceland,5\n',
    )
    const command = project.start(['import', 'countries.csv', '--resource', 'SlowViewSet', '--append'])
    const ended = new Promise(resolve => command.once('exit', resolve))
    let told = ''
    command.stderr.on('data', chunk => {
      told += chunk
      if (String(chunk).includes('waiting')) command.kill('SIGINT')
    })
    expect(await ended).toBe(130)
    expect(told).toMatch(
      /40 %, 2 of 5 rows\nwaiting80 %, 4 of 5 rows\nStopped\. Of the first 4 rows, all that are right were stored, and nothing of the others;/,
    )
    expect((await stored()).map(([code]) => code)).toEqual(['DK', 'FI', 'NO', 'SE'])
  })

  test('ends with 2 where nothing can be done, and says what to do', async () => {
    await project.write('countries.csv', 'code,area\nNO,1\n')
    const refused = await load('countries.csv', '--append')
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'The column "name" is missing.\nThe header (the first row) has the columns "code", "area".\nA file to fill in: viewset generate-import-template CountryViewSet\n',
    })
    expect(await load('.', '--append')).toMatchObject({
      code: 2,
      stderr: `${project.path} is a folder; name one of its files.\n`,
    })
    const byHeader = await project.viewset(['import', 'countries.csv', '--append', '--resource', 'HeaderViewSet'])
    expect(byHeader).toMatchObject({
      code: 2,
      stderr: 'This resource looks at the headers of its request, and a command has none.\n',
    })
    await project.write(
      'viewset.config.ts',
      "import * as resources from './resources.ts'\nexport default { resources }",
    )
    expect(await load('countries.csv', '--append')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not say which database; add to it: database: () =>'),
    })
  })

  test.each([
    [['import'], /^Which file\? As in: viewset import cities\.csv/],
    [['import', 'a.csv', 'b.csv'], /^One file at a time; what is "b\.csv"\?$/],
    [['import', 'a.csv', '--append'], /^Into which resource\?/],
    [['import', 'a.csv', '--resource', 'A'], /^Either --append, .* or --replace/],
    [['import', 'a.csv', '--resource', 'A', '--append', '--replace'], /^Either --append/],
    [['import', 'a.csv', '--resource', 'A', '--append', '--diff'], /^--diff needs --dry-run and --json/],
    [['import', 'a.csv', '--fields', 'a'], /^import takes no --fields\./],
    [['export', '--resource', 'A', 'a.csv'], /^What is "a\.csv"\? The file is given by --output\.$/],
    [['export'], /^Of which resource\?/],
  ])('is told what it lacks: %j', async (args, message) => {
    await expect(run(args, project.path)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
    })
  })
})

const RIVAL = `insert into countries (id, code, name, area, created_at, updated_at, is_active)
  values ('0199aaaa-0000-7000-8000-000000000002', 'SE', 'Sweden', 450, '2026-01-01', '2026-01-01', 1)`

describe('viewset export', () => {
  beforeEach(() => db.database.driver.run({ text: RIVAL }, []))
  const save = (...args: readonly string[]) => project.viewset(['export', '--resource', 'CountryViewSet', ...args])

  test('writes records as an address would choose them, to standard output as well', async () => {
    expect(await save('--fields', 'name, code', '--query', 'area__gte=400&ordering=-name', '-o', '-')).toEqual({
      code: 0,
      stdout: 'Name,Code\r\nSweden,SE\r\n',
      stderr: '',
    })
  })

  test('refuses a filter that the resource does not have', async () => {
    const refused = await save('--query', 'area__get=400', '-o', '-')
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('area__gte') })
  })

  test('refuses the name of a file of another format', async () => {
    const refused = await save('--output', 'countries.docx')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('csv, xlsx or pdf') })
    expect(await readdir(project.path)).not.toContain('countries.docx')
  })

  test('runs as the user that the function `user` of the project finds', async () => {
    await project.write(
      'viewset.config.ts',
      `import { sql } from 'drizzle-orm'
import { defineConfig, PermissionDenied } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { CountryViewSet } from './resources.ts'
const users = { '7': { id: '7', country: 'SE' }, '8': { id: '8', country: 'NO' } }
class OfUser extends CountryViewSet {
  async getQueryset() {
    if (!this.user) throw new PermissionDenied()
    return (await super.getQueryset()).filter(sql\`code = \${this.user.country}\`)
  }
}
export default defineConfig({
  resources: { CountryViewSet: OfUser },
  database: () => sqlite(${JSON.stringify(db.url)}),
  user: async id => users[id] ?? null,
})`,
    )
    expect(await save('--user', '7', '--fields', 'code', '-o', '-')).toMatchObject({
      code: 0,
      stdout: 'Code\r\nSE\r\n',
    })
    expect(await save('--user', '8', '--fields', 'code', '-o', '-')).toMatchObject({ code: 0, stdout: 'Code\r\n' })
    const refused = await save('--user', '9', '-o', '-')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no user with the id "9".') })
    const anonymous = await save('-o', '-')
    expect(anonymous).toMatchObject({ code: 2, stderr: expect.stringContaining('Name it by --user <id>.') })
  })

  test('writes the format that the name of the file has, over no file without --force', async () => {
    const file = path('countries.xlsx')
    expect(await save('--output', 'countries.xlsx')).toMatchObject({ code: 0, stdout: `${file}\n` })
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK')
    expect(await save('--output', 'countries.xlsx')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exists already; give another --output, or --force.'),
    })
    expect(await save('--fields', 'nmae')).toMatchObject({ code: 2, stderr: expect.stringContaining('nmae') })
  })

  test('writes a file for editing, whose import writes the edited cells and says what has changed since', async () => {
    expect(await save('--for-editing', '--output', 'countries.xlsx')).toMatchObject({ code: 0 })
    const edited = await editedWorkbook(await readFile(path('countries.xlsx')), rows =>
      rows.map(row => ({ ...row, area: 500 })),
    )
    await project.write('edited.xlsx', edited)
    await db.database.driver.run({ text: 'update countries set area = 451' }, [])
    const load = (...args: readonly string[]) =>
      project.viewset(['import', 'edited.xlsx', '--append', '--resource', 'CountryViewSet', ...args])
    expect(await load()).toMatchObject({ code: 1, stdout: expect.stringContaining('and is now "451"') })
    expect(await load('--on-conflict', 'yours')).toMatchObject({ code: 0 })
    expect(await stored()).toEqual([['SE', 'Sweden', 500n, null]])
    expect(await load('--on-conflict', 'mine')).toMatchObject({ code: 2, stderr: expect.stringContaining('yours') })
  })
})
