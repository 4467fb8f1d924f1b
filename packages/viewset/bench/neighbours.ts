// npm run bench:neighbours -- [--rows 100000] [--format csv|xlsx] [--dialect sqlite|pg]
import { parseArgs } from 'node:util'
import { DIALECTS } from './case.ts'
import { measureNeighbours } from './neighbours/measure.ts'
import { machine } from './support/machine.ts'
import { chosen, collect } from './support/measure-cases.ts'
import { tableOf } from './support/table.ts'
import { neighbourRows } from './support/tables.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    format: { type: 'string', multiple: true, default: ['csv', 'xlsx'] },
    dialect: { type: 'string', multiple: true, default: [...DIALECTS] },
  },
})
console.log(`${machine()}; ${options.rows} rows`)
for (const dialect of chosen('--dialect', options.dialect, DIALECTS)) {
  for (const format of chosen('--format', options.format, ['csv', 'xlsx'] as const)) {
    const results = await collect(measureNeighbours(dialect, Number(options.rows), format))
    console.log(tableOf(neighbourRows(results)))
  }
}
