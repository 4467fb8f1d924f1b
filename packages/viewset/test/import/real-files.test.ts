import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ColumnKit, ImportFileConfig } from 'viewset'
import { expect, test } from 'vitest'
import * as airports from '../fixtures/files/airports/import.ts'
import * as comuni from '../fixtures/files/comuni/import.ts'
import * as countries from '../fixtures/files/countries/import.ts'
import * as github from '../fixtures/files/github/import.ts'
import * as penguins from '../fixtures/files/penguins/import.ts'
import * as unemployment from '../fixtures/files/unemployment/import.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { type ImportFixture, importOnce, useDatabase } from '../support/imports.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/files')

/** Rows of a table as text, and what a column of them adds up to. */
type Stored = (table: string, ...columns: readonly string[]) => Promise<readonly (readonly string[])[]>

/** The lines of a file below its header, split as simply as can be, to count by another way than the import's. */
async function linesOf(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<readonly string[]> {
  const text = await readFile(join(FOLDER, path), encoding)
  return text.split(/\r?\n/).filter(line => line !== '')
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Imports a file twice: into an empty database, and once more, which changes nothing but what counts as updated. */
function importsFile<T extends Readonly<Record<string, unknown>>>(
  dialect: TestDialect,
  file: string,
  { tables, importOf }: { tables(c: ColumnKit): T; importOf(made: T): ImportFileConfig },
  check: (stored: Stored) => Promise<number>,
  wrong: () => Promise<readonly number[]> = async () => [],
): void {
  const made = tables(dialect.kit)
  const db: ImportFixture = useDatabase(dialect, made)
  const stored: Stored = async (table, ...columns) =>
    (await db.rows(table, ...columns)).map(row => row.map(value => value ?? ''))

  test('imports by its configuration alone, and holds what can be counted without it', async () => {
    const bytes = await readFile(join(FOLDER, file))
    const first = await importOnce(importOf(made), bytes, { database: db.database })
    const failed = await wrong()
    expect(first.errors.map(({ row }) => row)).toEqual(failed)
    const rows = await check(stored)
    const counts = { processed: rows + failed.length, failed: failed.length }
    expect(first).toMatchObject({ ...counts, created: rows, updated: 0 })
    const again = await importOnce(importOf(made), bytes, { database: db.database })
    expect(again).toMatchObject({ ...counts, created: 0, updated: rows })
    expect(await check(stored)).toBe(rows)
  })
}

describeDialects('airports.csv: one flat file makes its own countries and states', dialect => {
  const codeOf = (line: string) => line.slice(0, line.indexOf(','))
  const check = async (stored: Stored) => {
    const [, ...all] = await linesOf('airports/airports.csv')
    const lines = all.filter(line => codeOf(line).length === 3)
    const places = lines.map(line => /,([^,]+),([^,]+),(-?[\d.]+),(-?[\d.]+)$/.exec(line)!.slice(1))
    const counted = new Set(places.map(([, country]) => country))
    expect((await stored('countries', 'name')).flat().sort()).toEqual([...counted].sort())
    const states = new Set(places.map(([state, country]) => `${country}-${state}`))
    expect((await stored('states', 'code')).flat().sort()).toEqual([...states].sort())
    const found = await stored('airports', 'iata', 'latitude', 'longitude')
    expect(sum(found.map(([, latitude]) => Number(latitude)))).toBeCloseTo(sum(places.map(([, , at]) => Number(at))), 6)
    expect(new Set(found.map(([iata]) => iata))).toEqual(new Set(lines.map(codeOf)))
    return lines.length
  }
  // A code of IATA has three letters.
  const wrong = async () =>
    (await linesOf('airports/airports.csv')).slice(1).flatMap((line, at) => (codeOf(line).length > 3 ? [at + 2] : []))
  importsFile(dialect, 'airports/airports.csv', airports, check, wrong)
})

describeDialects('comuni.csv: Italian numbers, Windows-1252, headers over two lines', dialect => {
  importsFile(dialect, 'comuni/comuni.csv', comuni, async stored => {
    const lines = (await linesOf('comuni/comuni.csv', 'latin1')).filter(line => /^\d\d;/.test(line))
    const cells = lines.map(line => line.split(';'))
    expect((await stored('regions', 'code')).flat()).toEqual([...new Set(cells.map(row => row[0]))].sort())
    expect((await stored('provinces', 'code')).flat()).toEqual([...new Set(cells.map(row => row[1]))].sort())
    const found = await stored('comuni', 'code', 'name', 'other_name', 'population')
    const people = (text = '') => Number(text.replaceAll('.', ''))
    expect(found.map(([code, , , population]) => [code, Number(population)])).toEqual(
      cells.map(row => [row[4], people(row[19])]).sort(),
    )
    expect(found.find(([code]) => code === '021008')).toEqual(['021008', 'Bolzano', 'Bozen', '102575'])
    return lines.length
  })
})

describeDialects('countries.csv: seven of very many columns', dialect => {
  importsFile(dialect, 'countries/countries.csv', countries, async stored => {
    const [, ...lines] = await linesOf('countries/countries.csv')
    const codes = lines.map(line => line.split('","')[3])
    expect((await stored('countries', 'code')).flat()).toEqual(codes.sort())
    expect(await stored('countries', 'name', 'capital', 'area')).toContainEqual(
      ['Côte d’Ivoire', 'Yamoussoukro', '322463'].map(text => text.replace('Côte d’Ivoire', 'Ivory Coast')),
    )
    return lines.length
  })
})

describeDialects('github.csv: times with slashes', dialect => {
  importsFile(dialect, 'github/github.csv', github, async stored => {
    const [, ...lines] = await linesOf('github/github.csv')
    const found = await stored('commits', 'time', 'count')
    expect(sum(found.map(([, count]) => Number(count)))).toBe(sum(lines.map(line => Number(line.split(',')[1]))))
    const instants = found.map(([time = '']) => time.replace(/\D/g, '').slice(0, 14)).sort()
    expect(instants).toEqual(lines.map(line => line.split(',')[0]!.replace(/\D/g, '')).sort())
    return lines.length
  })
})

describeDialects('penguins.csv: rows without a key, and NaN for what was not measured', dialect => {
  importsFile(dialect, 'penguins/penguins.csv', penguins, async stored => {
    const [, ...lines] = await linesOf('penguins/penguins.csv')
    const found = await stored('penguins', 'number', 'species', 'body_mass', 'sex')
    const masses = lines.map(line => line.split(',')[5]!)
    expect(found.filter(([, , mass]) => mass === '')).toHaveLength(masses.filter(mass => mass === 'NaN').length)
    expect(sum(found.map(([, , mass]) => Number(mass)))).toBe(sum(masses.map(mass => Number(mass) || 0)))
    expect(found.filter(([, , , sex]) => sex === 'MALE')).toHaveLength(
      lines.filter(line => line.endsWith(',MALE')).length,
    )
    expect((await stored('islands', 'name')).flat()).toEqual([...new Set(lines.map(line => line.split(',')[1]))].sort())
    return lines.length
  })
})

describeDialects('unemployment.tsv: codes that have lost their zeros', dialect => {
  importsFile(dialect, 'unemployment/unemployment.tsv', unemployment, async stored => {
    const [, ...lines] = await linesOf('unemployment/unemployment.tsv')
    const cells = lines.map(line => line.split('\t'))
    const found = await stored('counties', 'code', 'state_id', 'rate')
    expect(sum(found.map(([, , rate]) => Number(rate)))).toBeCloseTo(sum(cells.map(([, rate]) => Number(rate))), 6)
    expect(found.map(([code]) => Number(code))).toEqual(cells.map(([id]) => Number(id)).sort((a, b) => a - b))
    expect(found.every(([code, state]) => code?.length === 5 && code.startsWith(state!))).toBe(true)
    return lines.length
  })
})

test('the guide says how many lines and rows each file has', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/rows-and-cells.md'), 'utf8')
  const told = [...page.matchAll(/^\| ([a-z]+) \| (\d+) \| (\d+) \| /gm)].map(([, name, lines, rows]) => [
    name,
    Number(lines),
    Number(rows),
  ])
  const files = [
    'airports/airports.csv',
    'comuni/comuni.csv',
    'countries/countries.csv',
    'github/github.csv',
    'penguins/penguins.csv',
    'unemployment/unemployment.tsv',
  ]
  const counted = await Promise.all(
    files.map(async file => {
      const [name = ''] = file.split('/')
      const source = await readFile(join(FOLDER, name, 'import.ts'), 'utf8')
      const [, config = ''] = /\n {2}return \{\n( {4}fileFormat[\s\S]*?)\n {2}\}\n\}/.exec(source) ?? []
      const lines = await linesOf(file, 'latin1')
      const rows = name === 'comuni' ? lines.filter(line => /^\d\d;/.test(line)) : lines.slice(1)
      return [name, config.split('\n').length, rows.length]
    }),
  )
  expect(told).toEqual(counted)
})
