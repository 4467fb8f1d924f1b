import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { openTabular, type ReadCell } from 'viewset/files'
import { expect } from 'vitest'
import type { TestApi } from './api.ts'
import { importForm } from './multipart.ts'
import { workbook } from './workbook.ts'

/** What stands in a column by mistake. */
const WRONG = {
  iso2: 'LONG',
  'countries.name': 'x'.repeat(31),
  'cities.name': 'y'.repeat(31),
  population: 'many',
  area: '1.2.3',
  kind: 'hamlet',
} as const
type Column = keyof typeof WRONG
const COLUMNS = Object.keys(WRONG) as Column[]

/** A city as it shall be stored, and the columns in which somebody has made a mistake. */
interface CityRow {
  readonly iso2: string
  readonly population: number | null
  readonly area: string | null
  readonly kind: string
  /** What no model reads, and what has to come back as it was all the same. */
  readonly note: string | null
  readonly faults: readonly Column[]
}

const NOTES = ['=1+1', '-5', 'a;b,"c"|d\te', '  outer ', 'two\nlines', '\u2028', 'Ünïcødé', '1,2,3', '@x', '00123']

const cityRow: fc.Arbitrary<CityRow> = fc.record({
  iso2: fc.constantFrom('DE', 'FR', 'IT'),
  population: fc.option(fc.nat(1_000_000)),
  area: fc.option(fc.constantFrom('1.50', '-3.25', '1000.00')),
  kind: fc.constantFrom('town', 'village'),
  note: fc.option(fc.constantFrom(...NOTES)),
  faults: fc.subarray(COLUMNS, { maxLength: 3 }),
})

const scenario = fc.record({
  rows: fc.array(cityRow, { minLength: 1, maxLength: 12 }),
  form: fc.constantFrom(',', ';', '\t', '|', 'UTF-16', 'flat workbook', 'sheets'),
  mode: fc.constantFrom('append', 'append', 'chunks', 'replace', 'dry run'),
})

type Cell = string | number | null
/** By column: `ref` says which row it is. */
type Line = Readonly<Record<string, Cell>>
/** A table of a file by its name: all of its lines have the same columns. */
type Tables = Readonly<Record<string, readonly Line[]>>

/**
 * Sends random files with random mistakes. What comes back is put right only where it says that something is wrong, and
 * sent again until nothing fails. Then each city is stored once, as if nobody had made a mistake.
 */
export async function checkFailedRows(api: TestApi, folder: string, numRuns: number): Promise<void> {
  const path = join(folder, 'failed')
  const property = fc.asyncProperty(scenario, async ({ rows, form, mode }) => {
    await api.clear()
    const rival = { iso2: 'DE', population: 1, area: null, kind: 'town', note: null, faults: [] }
    const before = await send(api, 'append', ',', flat([rival], false, 99))
    expect(before.status).toBe(201)
    const tablesOf = form === 'sheets' ? sheets : flat
    const right = tablesOf(rows, false)
    let tables = tablesOf(rows, true)
    let isTried = mode === 'dry run'
    for (let rounds = 0; ; rounds++) {
      expect(rounds).toBeLessThan(6)
      const response = await send(api, mode, form, tables, isTried)
      if (response.status === 201 && !isTried) break
      if (response.status === 201) isTried = false
      else {
        expect(response.status).toBe(207)
        await writeFile(path, response.bytes)
        tables = putRight(await readTables(path), right, JSON.parse(String(response.headers['x-import-result'])).failed)
      }
    }
    const stored = (await api.rows('cities')).length
    expect(stored).toBe(rows.length + (mode === 'replace' ? 0 : 1))
    expect(await citiesOf(api)).toEqual(
      [...rows.map(expected), ...(mode === 'replace' ? [] : [expected(rival, 99)])].toSorted(),
    )
  })
  await fc.assert(property, { numRuns })
}

function expected({ iso2, population, area, kind }: CityRow, ref: number): string {
  return [iso2, `Name of ${iso2}`, `City ${ref}`, population, area === null ? null : Number(area), kind].join('|')
}

async function citiesOf({ database }: TestApi): Promise<readonly string[]> {
  const text = `select iso2, countries.name, cities.name, population, area, kind from cities
    join countries on countries.id = country_id`
  const { rows } = await database.driver.run({ text }, [])
  const shown = (cell: unknown, at: number) => (at === 4 && cell !== null ? Number(cell) : cell)
  return rows.map(row => row.map(shown).join('|')).toSorted()
}

/** All columns in one table; the number of a row is its name. */
function flat(rows: readonly CityRow[], hasFaults: boolean, first = 0): Tables {
  const lines = rows.map(({ faults, iso2, ...row }, index): Line => {
    const ref = String(first + index)
    const names = { 'countries.name': `Name of ${iso2}`, 'cities.name': `City ${ref}` }
    const wrong = hasFaults ? Object.fromEntries(faults.map(column => [column, WRONG[column]])) : {}
    return { iso2, ref, ...names, ...row, ...wrong }
  })
  return { '': lines }
}

/** A table for each model. */
function sheets(rows: readonly CityRow[], hasFaults: boolean): Tables {
  const [lines = []] = Object.values(flat(rows, hasFaults))
  const codes = [...new Set(rows.map(({ iso2 }) => iso2))]
  const isWrong = (code: string) => rows.some(row => row.iso2 === code && row.faults.includes('countries.name'))
  return {
    countries: codes.map(code => ({
      iso2: code,
      ref: code,
      name: hasFaults && isWrong(code) ? WRONG['countries.name'] : `Name of ${code}`,
    })),
    cities: lines.map(({ 'countries.name': _, 'cities.name': name = null, ...others }) => ({ ...others, name })),
  }
}

/** Takes over what is right, cell by cell: only where the row says that there is something wrong. */
function putRight(failed: Tables, right: Tables, count: number): Tables {
  let found = 0
  const tables = Object.entries(failed).map(([name, lines]): [string, readonly Line[]] => {
    const own = new Map((right[name] ?? Object.values(right)[0] ?? []).map(line => [line.ref, line]))
    const fixed = lines.map((line): Line => {
      const correct = own.get(String(line.ref)) ?? {}
      const told = String(line.Errors ?? '').split('\n')
      if (line.Errors !== null) found++
      const wrong = Object.keys(correct).filter(column => told.some(text => text.startsWith(`${column}: `)))
      expect(line.note ?? null).toEqual(correct.note ?? null)
      return { ...line, ...Object.fromEntries(wrong.map(column => [column, correct[column] ?? null])) }
    })
    return [name, fixed]
  })
  expect(found).toBe(count)
  return Object.fromEntries(tables)
}

async function readTables(path: string): Promise<Tables> {
  const file = await openTabular(path)
  const tables: Record<string, Line[]> = {}
  for (const { name, header, rows } of file.sheets) {
    expect(header.indexOf('Errors')).toBe(0)
    const lines: Line[] = []
    for await (const batch of rows()) {
      for (const { cells } of batch) {
        lines.push(Object.fromEntries(header.map((column, at) => [column, plain(cells[at] ?? null)])))
      }
    }
    // A sheet without rows still has its header, as each of our tables has.
    tables[name === 'Sheet' ? '' : name] = lines
  }
  await file.close()
  return tables
}

function plain(cell: ReadCell): Cell {
  return typeof cell === 'boolean' || (typeof cell === 'object' && cell !== null) ? String(cell) : cell
}

async function send(api: TestApi, mode: string, form: string, tables: Tables, dryRun = false) {
  const content = form.includes('workbook') || form === 'sheets' ? await workbookOf(tables) : csvOf(form, tables)
  const resource = mode === 'chunks' ? 'chunked' : 'cities'
  const options = importForm(content, { append: mode !== 'replace', dryRun, filename: 'cities.csv' })
  return api.request('POST', `/${resource}/import-from-file/?failed_rows=true`, options)
}

const FLAT = ['iso2', 'ref', 'countries.name', 'cities.name', 'population', 'area', 'kind', 'note']
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  countries: ['iso2', 'ref', 'name'],
  cities: ['iso2', 'ref', 'name', 'population', 'area', 'kind', 'note'],
}

function linesOf(name: string, lines: readonly Line[]): readonly (readonly Cell[])[] {
  const header = HEADERS[name] ?? FLAT
  const columns = lines.some(line => 'Errors' in line) ? ['Errors', ...header] : header
  return [columns, ...lines.map(line => columns.map(column => line[column] ?? null))]
}

function workbookOf(tables: Tables): Promise<Buffer> {
  const named = Object.entries(tables).map(([name, lines]) => [name || 'Sheet', linesOf(name, lines)])
  return workbook(Object.fromEntries(named))
}

function csvOf(form: string, tables: Tables): Buffer {
  const delimiter = form.length === 1 ? form : ','
  const quoted = (cell: Cell) => {
    // As a spreadsheet program has it that does not run what it reads.
    const text = String(cell ?? '').replace(/^'*[=+@-]/, start => (/^-\d/.test(String(cell)) ? start : `'${start}`))
    return /[",;|\t\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const [lines = []] = Object.values(tables)
  const text = linesOf('', lines)
    .map(line => `${line.map(quoted).join(delimiter)}\n`)
    .join('')
  return form === 'UTF-16' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : Buffer.from(text)
}
