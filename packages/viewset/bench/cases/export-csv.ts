import type { BenchCase } from '../case.ts'
import { exportResource } from '../fixture/resource.ts'
import type { CityRow } from '../floor/cities.ts'
import * as pg from '../floor/pg.ts'
import type { Handler } from '../floor/server.ts'
import * as sqlite from '../floor/sqlite.ts'

/** Rows written to the socket at once. */
const BATCH = 1_000

const HEADER = 'Id,Name,Latitude,Longitude,Country code,Country,Region code,Region,Created at,Updated at\r\n'

export const exportCsv: BenchCase = {
  name: 'export-csv',
  title: 'all 100,000 cities as CSV, with country and region',
  requests: { sqlite: 1, pg: 1 },
  target: { sqlite: 1, pg: 1 },
  connections: 1,
  request: () => ({ method: 'POST', path: '/export/', body: '{"file_type":"csv"}' }),
  viewset: models => exportResource(models),
  floor: {
    sqlite: database => csvWith(sqlite.allCities(database)),
    pg: pool => csvWith(() => pg.allCities(pool)),
  },
}

function csvWith(read: () => Iterable<CityRow> | AsyncIterable<CityRow>): Handler {
  return () => ({ status: 200, body: parts(read()) })
}

async function* parts(rows: Iterable<CityRow> | AsyncIterable<CityRow>): AsyncGenerator<string> {
  let text = HEADER
  let count = 0
  for await (const row of rows) {
    const [id, name, latitude, longitude, createdAt, updatedAt, , countryCode, countryName, , regionCode, region] = row
    const cells = [id, name, latitude, longitude, countryCode, countryName, regionCode, region, createdAt, updatedAt]
    text += `${cells.map(cell).join(',')}\r\n`
    if (++count % BATCH !== 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** With quotes where they are needed, and safe from being run as a formula: as the contract has it. */
function cell(value: string | null): string {
  if (value === null) return ''
  const isFormula = /^'*[=+\-@\t\r\n＝＋－＠]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value)
  const text = isFormula ? `'${value}` : value
  return /[",\r\n]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
