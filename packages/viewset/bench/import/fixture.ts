import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished, pipeline } from 'node:stream/promises'
import { type ColumnKit, type ImportFileConfig, importForeignKey, importModel } from 'viewset'
import type { TabularColumn } from '../../src/tabular/table.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'

const COUNTRIES = 250

/** Towns with one foreign key, found by country and name, of which a unique index knows. */
export function models(c: ColumnKit) {
  const countries = c.table('countries', { id: c.uuid().primaryKey(), code: c.text(3).notNull().unique() })
  const towns = c.table(
    'towns',
    {
      ...c.BaseModelMixin(),
      country: c.foreignKey(countries).notNull(),
      name: c.text(100).notNull(),
      latitude: c.decimal(8, 5).notNull(),
      longitude: c.decimal(8, 5).notNull(),
      population: c.integer(),
      founded: c.date(),
    },
    t => [c.unique(t.country, t.name)],
  )
  const notes = c.table('notes', { ...c.BaseModelMixin(), text: c.text().notNull() })
  return { countries, towns, notes, ...c.JobTables() }
}

export type Models = ReturnType<typeof models>

export function config({ countries, towns }: Models, chunkSize: number | undefined): ImportFileConfig {
  return {
    fileFormat: ['csv', 'xlsx'],
    order: ['towns'],
    models: {
      towns: importModel({
        model: towns,
        fields: ['name', 'latitude', 'longitude', 'population', 'founded'],
        uniqueFields: ['country', 'name'],
        foreignKeys: {
          country: importForeignKey({ model: countries, lookupField: 'code', sourceField: 'country_code' }),
        },
      }),
    },
    ...(chunkSize !== undefined && { chunkSize }),
  }
}

const HEADER = ['country_code', 'name', 'latitude', 'longitude', 'population', 'founded']

function countryCode(n: number): string {
  return `C${(n % COUNTRIES).toString(36).padStart(2, '0').toUpperCase()}`
}

export function countryRows() {
  return Array.from({ length: COUNTRIES }, (_, n) => ({
    id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    code: countryCode(n),
  }))
}

/** The n-th row of the file. */
function townRow(n: number, population: number): readonly (string | number)[] {
  const degrees = (range: number) => (((n * 7_919) % (range * 2_000)) / 1_000 - range).toFixed(5)
  const founded = new Date(Date.UTC(1200 + (n % 800), n % 12, 1 + (n % 28))).toISOString().slice(0, 10)
  return [countryCode(n), `Town number ${n}`, degrees(90), degrees(180), population, founded]
}

/** Rows of the file from one number to another, as the table has them. */
export function townRows(from: number, to: number) {
  const ids = new Map(countryRows().map(({ id, code }) => [code, id]))
  return Array.from({ length: to - from }, (_, index) => {
    const [code, name, latitude, longitude, population, founded] = townRow(from + index, 1)
    const country = ids.get(String(code)) ?? ''
    return {
      country,
      name: String(name),
      latitude: String(latitude),
      longitude: String(longitude),
      population: Number(population),
      founded: String(founded),
    }
  })
}

/** An XLSX file with the first `rows` rows. */
export async function writeXlsx(path: string, rows: number): Promise<void> {
  const kinds = ['text', 'text', 'decimal', 'decimal', 'integer', 'date'] as const
  const columns = HEADER.map((header, index): TabularColumn => ({ header, kind: kinds[index]!, scale: 5 }))
  const batches = function* () {
    for (let n = 0; n < rows; n++) yield [townRow(n, 2)]
  }
  await pipeline(xlsxWriter().write(columns, batches()), createWriteStream(path))
}

/** A CSV file with every `step`-th of the first `rows` rows. */
export async function writeCsv(path: string, rows: number, step: number, population: number): Promise<void> {
  const file = createWriteStream(path)
  let text = `${HEADER.join(',')}\r\n`
  for (let n = 0; n < rows; n += step) {
    text += `${townRow(n, population).join(',')}\r\n`
    if (text.length < 1_000_000) continue
    if (!file.write(text)) await once(file, 'drain')
    text = ''
  }
  file.end(text)
  await finished(file)
}
