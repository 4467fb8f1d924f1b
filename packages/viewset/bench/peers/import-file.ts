import { cityRows, countryRows, regionRows } from '../fixture/rows.ts'

const ROWS = 10_000
const cities = cityRows().slice(0, ROWS / 2)
const codes = new Map([...countryRows(), ...regionRows()].map(({ id, code }) => [id, code]))

/** A CSV file, half of whose cities are stored already; the others are new in each round. */
export function importFile(round: number): string {
  const lines = ['name,latitude,longitude,country,region']
  for (const { name, latitude, longitude, country, region } of cities) {
    const rest = `${latitude},${longitude},${codes.get(country)},${region === null ? '' : codes.get(region)}`
    lines.push(`"${name.replaceAll('"', '""')}",${rest}`, `"Importada ${round} ${lines.length}",${rest}`)
  }
  return `${lines.join('\r\n')}\r\n`
}
