// npm run bench:import -- [--rows 100000] [--format csv|xlsx] [--dialect sqlite|pg] [--chunk n] [--profile folder]
import { parseArgs } from 'node:util'
import { measureImport } from './import/measure.ts'
import { machine } from './support/machine.ts'
import { startPostgres } from './support/postgres.ts'
import { reportHead, reportLine, resultOf } from './support/report.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    format: { type: 'string', default: 'csv' },
    dialect: { type: 'string', multiple: true, default: ['sqlite', 'pg'] },
    chunk: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
})
const { chunk, profile } = options
console.log(`${machine()}; ${options.rows} rows, half of them stored before`)
console.log(reportHead())
for (const name of options.dialect) {
  const dialect = name as 'sqlite' | 'pg'
  const postgres = dialect === 'pg' ? await startPostgres() : undefined
  try {
    const [rows, rounds] = [Number(options.rows), Number(options.rounds)]
    const format = options.format as 'csv' | 'xlsx'
    console.log(reportLine(resultOf(await measureImport({ dialect, rows, format, rounds, postgres, chunk, profile }))))
  } finally {
    await postgres?.stop()
  }
}
