import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ImportFileConfig,
  type ImportMapping,
  type ImportResult,
  ImportService,
  type ImportValues,
  type MappedField,
} from 'viewset'
import { expect, test } from 'vitest'
import { importsOf, tables } from '../fixtures/files/mapped/imports.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { useDatabase } from '../support/imports.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/files/mapped')
const EMPTY = 'This cell is empty, and a value is required.'

type Fields = Readonly<Record<string, MappedField>>

/** What the person in front of the preview says about a file. */
interface Answers {
  readonly mapping?: Fields
  readonly values?: ImportValues
  /** The sheet to read, if the preview shows several. */
  readonly sheet?: string
}

/** The cells of a CSV file, split as simply as can be, to count by another way than the import's. */
async function cellsOf(file: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(FOLDER, file), 'utf8')
  const lines = text.split(/\r?\n/).filter(line => line !== '')
  return lines.map(line =>
    [...line.matchAll(/(?<=^|,)("[^"]*"|[^,]*)/g)].map(([, cell = '']) => cell.replaceAll('"', '')),
  )
}

function sum(numbers: readonly unknown[]): number {
  return numbers.reduce<number>((total, number) => total + Number(number), 0)
}

/** The rows of errors with their columns and messages. */
function failures({ errors }: ImportResult): readonly (readonly unknown[])[] {
  return errors.map(({ row, column, message }) => [row, column, message])
}

describeOneDialect('files that nobody here wrote import by preview and mapping alone', dialect => {
  const made = tables(dialect.kit)
  const imports = importsOf(made)
  const db = useDatabase(dialect, made)

  /** Previews a file, checks the guesses, completes them with the answers, and imports when the preview has no problem. */
  async function importFile(
    file: string,
    config: ImportFileConfig,
    guesses: Fields,
    { sheet: name, mapping: answered, values }: Answers = {},
  ): Promise<ImportResult> {
    const bytes = await readFile(join(FOLDER, file))
    const service = new ImportService(config, { database: db.database })
    const { sheets } = await service.preview(bytes)
    const sheet = name === undefined ? sheets[0] : sheets.find(other => other.name === name)
    const headers = sheet?.headers ?? []
    const guessed = Object.fromEntries(headers.flatMap(({ header, field }) => (field ? [[header, field]] : [])))
    expect([sheets.length === 1, guessed]).toEqual([name === undefined, guesses])
    const columns = { ...guessed, ...answered }
    const mapping: ImportMapping = name === undefined ? columns : { [name]: columns }
    const options = { mapping, ...(values && { values }) }
    const preview = await service.preview(bytes, options)
    expect([preview.problems, preview.sheets.map(({ problems }) => problems)]).toEqual([[], [[]]])
    return service.import(bytes, { ...options, append: true })
  }

  test('deaths.xlsx: notes above, below and beside the table, merged cells, and two sheets alike', async () => {
    const mapping = {
      Profession: 'job',
      'Has kids': 'has_children',
      'Date of birth': 'born_on',
      'Date of death': 'died_on',
    }
    const arts = await importFile('deaths.xlsx', imports.people, { Name: 'name' }, { sheet: 'arts', mapping })
    expect(arts).toMatchObject({ created: 10, failed: 4, ignoredColumns: ['Age'], ignoredSheets: ['other'] })
    expect(failures(arts)).toContainEqual([18, 'Has kids', expect.stringContaining('"bottom," is neither true nor')])
    expect(new Set(arts.errors.map(({ row }) => row))).toEqual(new Set([16, 17, 18, 19]))
    const other = await importFile('deaths.xlsx', imports.people, { Name: 'name' }, { sheet: 'other', mapping })
    expect(other).toMatchObject({ created: 10, failed: 4, ignoredSheets: ['arts'] })
    const found = await db.rows('people', 'name', 'job', 'born_on', 'died_on')
    expect(found).toHaveLength(20)
    expect(found).toContainEqual(['Zsa Zsa Gábor', 'actor', '1917-02-06', '2016-12-18'])
  })

  test('regents.xls: sums between the header and the rows', async () => {
    const guesses = { 'GLOBAL HISTORY': 'global_history', ENGLISH: 'english' }
    const mapping = { label: 'score', 'INTEGRATED ALGEBRA': 'algebra' }
    const result = await importFile('regents.xls', imports.scores, guesses, { mapping })
    expect(result).toMatchObject({ created: 102, failed: 2 })
    expect(failures(result)).toEqual([
      [2, 'label', '"test_year" is not a whole number. Write it like 42.'],
      [3, 'label', '"Scores" is not a whole number. Write it like 42.'],
    ])
    // The sums of the file leave out the row 999, which counts pupils without a score.
    const found = (await db.rows('scores', 'score', 'algebra', 'global_history', 'english')).filter(
      ([score]) => score !== '999',
    )
    expect([1, 2, 3].map(at => sum(found.map(row => row[at])))).toEqual([131024, 113804, 103886])
  })

  test('lives.csv: commas in numbers', async () => {
    const guesses = { Age: 'age', Sex: 'sex', NumberOfLives: 'number_of_lives' }
    const mapping = { DeathProb: 'death_probability' }
    const values = { Sex: { Male: 'male', Female: 'female' } }
    expect(await importFile('lives.csv', imports.lives, guesses, { mapping, values })).toMatchObject({ failed: 0 })
    const [, ...lines] = await cellsOf('lives.csv')
    const found = await db.rows('lives', 'age', 'sex', 'death_probability', 'number_of_lives')
    expect(found).toHaveLength(lines.length)
    expect(sum(found.map(row => row[3]))).toBe(sum(lines.map(row => row[3]?.replaceAll(',', ''))))
    expect(sum(found.map(row => row[2]))).toBeCloseTo(sum(lines.map(row => row[2])), 6)
  })

  test('emissions.csv: a header of 100 letters', async () => {
    const [header = [], ...lines] = await cellsOf('emissions.csv')
    const mapping = { [String(header[1])]: 'megatons' }
    await importFile('emissions.csv', imports.emissions, { Year: 'year' }, { mapping })
    const found = await db.rows('emissions', 'year', 'megatons')
    expect(found).toEqual(lines.toSorted(([a], [b]) => Number(a) - Number(b)))
  })

  test('entries.xlsx: another title on each of two sheets, formulas, and a text among numbers', async () => {
    const guesses = { Name: 'name', Total: 'total' }
    const mapping = { 'X Value': 'width', 'Y Value': 'height' }
    const result = await importFile('entries.xlsx', imports.entries, guesses, { sheet: 'First Sheet', mapping })
    expect(result).toMatchObject({ created: 3, failed: 1 })
    expect(failures(result)).toEqual([[8, 'Y Value', '"error" is not a whole number. Write it like 42.']])
    const found = await db.rows('entries', 'width', 'height', 'total')
    expect(found.every(([width, height, total]) => Number(width) + Number(height) === Number(total))).toBe(true)
  })

  test('rides.xlsx: days and times in columns of their own, and postal codes as numbers', async () => {
    const guesses = {
      'from Zip': 'from_zip',
      'to Zip': 'to_zip',
      'Pickup Date': 'pickup_date',
      'Pickup time': 'pickup_time',
    }
    const mapping = { requestedVehicleType: 'vehicle', finalCost: 'cost', status: 'state' }
    const status = { Completed: 'done', Cancelled: 'cancelled', DriverCancelled: 'cancelled_by_driver' }
    const result = await importFile('rides.xlsx', imports.rides, guesses, { mapping, values: { status } })
    expect(result).toMatchObject({ created: 2488, failed: 0 })
    // Counted in LibreOffice.
    const found = await db.rows('rides', 'state', 'pickup_date', 'pickup_time', 'from_zip', 'to_zip', 'cost')
    const states = Object.values(status).map(state => found.filter(([other]) => other === state).length)
    expect(states).toEqual([2098, 172, 218])
    expect(sum(found.map(row => row[5]))).toBeCloseTo(15750.3, 6)
    expect(found.filter(row => row[4] === null)).toHaveLength(9)
    const first = ['done', '2019-07-01', '12:40:00', '90404', '90401']
    expect(found.map(row => row.slice(0, 5).map(cell => cell?.replace(/\.0+$/, '')))).toContainEqual(first)
  })

  test('categories.xlsx: codes that begin with 0, names in German and French', async () => {
    const mapping = {
      'Category ID': 'code',
      'Parent category ID': 'parent',
      'Name DE': 'german_name',
      'Name FR': 'french_name',
    }
    const result = await importFile('categories.xlsx', imports.categories, {}, { mapping })
    expect(result).toMatchObject({ created: 23, failed: 0 })
    const found = await db.rows('categories', 'code', 'german_name', 'french_name', 'parent_id')
    expect(found[0]).toEqual(['0100', 'Geflügel', 'volaille', null])
  })

  test('contacts.xlsx: Italian headers and words, phone numbers as numbers', async () => {
    const mapping = {
      Nome: 'first_name',
      Cognome: 'last_name',
      sesso: 'sex',
      'Data di nascita': 'birthday',
      cellulare: 'phone',
      cap: 'postal_code',
      comune: 'town',
      nazione: 'country',
    }
    const values = { sesso: { maschio: 'male', femmina: 'female' }, nazione: { italia: 'IT' } }
    const result = await importFile('contacts.xlsx', imports.contacts, { email: 'email' }, { mapping, values })
    expect(result).toMatchObject({ created: 6, failed: 0, ignoredColumns: ['provincia'] })
    const found = await db.rows('contacts', 'phone', 'first_name', 'sex', 'birthday', 'postal_code', 'country')
    expect(found[0]).toEqual(['1111111111', 'jhon', 'male', '1986-09-27', '20064', 'IT'])
  })

  test('fruit.xlsx: numbers in words, and several names in a cell', async () => {
    await db.run("insert into buyers (id, name) values (1, 'Andy'), (2, 'Bob'), (3, 'Mary'), (4, 'Calvin')")
    const mapping = { item: 'name', number: 'stock' }
    const values = { number: { two: 2, twelve: 12, three: 3 } }
    const guesses = { price: 'price', buyer: 'buyers' }
    const result = await importFile('fruit.xlsx', imports.goods, guesses, { sheet: 'fruit', mapping, values })
    expect(result).toMatchObject({ created: 3, failed: 0, ignoredSheets: ['car'] })
    expect(await db.rows('goods', 'name', 'stock')).toEqual([
      ['apple', '2'],
      ['banana', '12'],
      ['coffee', '3'],
    ])
    expect((await db.rows('goods_buyers', 'buyer_id')).flat()).toEqual(['1', '2', '3', '4'])
  })

  test('animals.xlsx: the table among other tables and pivot tables', async () => {
    const guesses = {
      species: 'species',
      island: 'island',
      bill_length_mm: 'bill_length',
      body_mass_g: 'body_mass',
      sex: 'sex',
    }
    const result = await importFile('animals.xlsx', imports.animals, guesses)
    const ignoredSheets = ['iris', 'iris_pivot', 'penguins_pivot1', 'penguins_pivot2']
    expect(result).toMatchObject({ created: 18, failed: 0, ignoredSheets })
    // Counted in LibreOffice.
    const found = await db.rows('animals', 'sex', 'body_mass', 'bill_length')
    expect(found.filter(([sex]) => sex === null)).toHaveLength(4)
    expect(sum(found.map(row => row[1]))).toBe(62_750)
    expect(sum(found.map(row => row[2]))).toBeCloseTo(655.1, 6)
  })

  test('births.csv: German headers and words', async () => {
    const mapping = { Jahr: 'year', Geschlecht: 'sex', statistischeZoneId: 'zone', Geburten: 'count' }
    const values = { Geschlecht: { männlich: 'boys', weiblich: 'girls' } }
    expect(await importFile('births.csv', imports.births, {}, { mapping, values })).toMatchObject({ failed: 0 })
    const [, ...lines] = await cellsOf('births.csv')
    const found = await db.rows('births', 'sex', 'count')
    expect(found).toHaveLength(lines.length)
    const boys = lines.filter(([, sex]) => sex === 'männlich')
    expect(sum(found.filter(([sex]) => sex === 'boys').map(row => row[1]))).toBe(sum(boys.map(row => row[4])))
  })

  test('moves.csv: German days, and years without numbers', async () => {
    const mapping = { Datum: 'quarter', Kategorie: 'direction', Anzahl: 'people' }
    const values = { Kategorie: { Zuzüge: 'in', Wegzüge: 'out' } }
    const result = await importFile('moves.csv', imports.moves, {}, { mapping, values })
    const [, ...lines] = await cellsOf('moves.csv')
    const counted = lines.filter(([, , people]) => people !== '')
    expect(result).toMatchObject({ created: counted.length, failed: 16 })
    expect(result.errorGroups).toMatchObject([{ column: 'Anzahl', message: EMPTY, rows: '74-81, 413-420' }])
    const found = await db.rows('moves', 'quarter', 'direction', 'people')
    expect(sum(found.map(row => row[2]))).toBe(sum(counted.map(row => row[2])))
    expect(found.at(-1)).toEqual(['2014-07-01', 'out', '30271'])
  })

  test('estates.csv: owners in a column of the estates, and 0 for an unknown year', async () => {
    const owner = ['owners.name', 'owner']
    const mapping = { id: 'number', traegerschaft: owner, bezugsjahr: 'built_in' }
    const values = { bezugsjahr: { '0': null } }
    const result = await importFile('estates.csv', imports.estates, { name: 'estates.name' }, { mapping, values })
    expect(result).toMatchObject({ failed: 0 })
    const [, ...lines] = await cellsOf('estates.csv')
    expect(await db.rows('estates', 'number')).toHaveLength(lines.length)
    const names = new Set(lines.map(row => row[2]))
    expect(new Set((await db.rows('owners', 'name')).flat())).toEqual(names)
    const years = (await db.rows('estates', 'built_in')).flat()
    expect(sum(years)).toBe(sum(lines.map(row => row[3])))
    expect(years.filter(year => year === null)).toHaveLength(lines.filter(row => row[3] === '0').length)
  })

  test('zones.csv: titles and filters above, notes below, and a column without a header', async () => {
    const mapping = { 'DZN to State/Territory (POW)': 'code', '(column 3)': 'employed' }
    const result = await importFile('zones.csv', imports.zones, {}, { mapping })
    const lines = (await cellsOf('zones.csv')).filter(([, code, count]) => code?.length === 9 && count !== undefined)
    expect(result).toMatchObject({ created: lines.length, failed: 3 })
    expect(failures(result)).toEqual([
      [1395, 'DZN to State/Territory (POW)', EMPTY],
      [1395, '(column 3)', EMPTY],
      [1397, 'DZN to State/Territory (POW)', 'Ensure this field has no more than 9 characters.'],
      [1397, '(column 3)', EMPTY],
      [1400, 'DZN to State/Territory (POW)', EMPTY],
      [1400, '(column 3)', EMPTY],
    ])
    expect(sum((await db.rows('zones', 'employed')).flat())).toBe(sum(lines.map(row => row[2])))
  })

  test('wages.csv: American days with single digits, and months without numbers', async () => {
    const mapping = { date: 'month', all_workers: 'all' }
    const result = await importFile('wages.csv', imports.wages, { finance: 'finance' }, { mapping })
    const [, ...lines] = await cellsOf('wages.csv')
    expect(result).toMatchObject({ created: lines.length, failed: 0 })
    const found = await db.rows('wages', 'month', 'all', 'finance')
    expect(found.at(-1)?.[0]).toBe('2017-03-01')
    expect(sum(found.map(row => row[1]))).toBeCloseTo(sum(lines.map(row => row[1])), 4)
  })

  test('calendar.txt: days without hyphens, and 1 and 0 for yes and no', async () => {
    const guesses = { monday: 'monday', sunday: 'sunday', start_date: 'start_date', end_date: 'end_date' }
    const result = await importFile('calendar.txt', imports.services, guesses, { mapping: { service_id: 'code' } })
    const [, ...lines] = await cellsOf('calendar.txt')
    expect(result).toMatchObject({ created: lines.length, failed: 0 })
    const found = await db.rows('services', 'code', 'start_date', 'end_date')
    const days = found.map(row => row.map(text => text?.replaceAll('-', '')).slice(1))
    expect(days.toSorted()).toEqual(lines.map(row => row.slice(8)).toSorted())
  })
})

test('the README says of each file what it needed and where it comes from', async () => {
  const page = await readFile(join(FOLDER, 'README.md'), 'utf8')
  const files = (await readdir(FOLDER)).filter(name => !/\.(ts|md)$/.test(name)).toSorted()
  const [needs = '', origins = ''] = page.split('## Origins')
  for (const part of [needs, origins]) {
    expect([...part.matchAll(/^\| `(\S+)` \|/gm)].map(([, name]) => name)).toEqual(files)
  }
})
