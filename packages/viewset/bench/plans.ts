// npm run bench:plans -w viewset -- [--dialect sqlite|pg] [--rows 1000 --rows 1000000]
import { parseArgs } from 'node:util'
import { DIALECTS } from './case.ts'
import { measureLists } from './lists/measure.ts'
import { machine } from './support/machine.ts'
import { chosen } from './support/measure-cases.ts'

const { values: options } = parseArgs({
  options: {
    dialect: { type: 'string', multiple: true, default: [...DIALECTS] },
    rows: { type: 'string', multiple: true, default: ['1000', '10000', '100000', '1000000'] },
  },
})
console.log(machine())
for (const dialect of chosen('--dialect', options.dialect, DIALECTS)) {
  for await (const { rows, name, medianMs } of measureLists(dialect, options.rows.map(Number), console.log)) {
    console.log(`| ${dialect} | ${rows.toLocaleString('en-US')} | ${name} | ${medianMs.toFixed(2)} |`)
  }
}
