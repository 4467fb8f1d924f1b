// npm run bench:quick -- [--record]
import { parseArgs } from 'node:util'
import { advice, compareQuick, comparing, isSlower } from './support/compare.ts'
import { machine } from './support/machine.ts'
import { collect } from './support/measure-cases.ts'
import { measureQuick } from './support/measure-quick.ts'
import { readResults, withResults, writeResults } from './support/results.ts'
import { tableOf } from './support/table.ts'
import { quickRows } from './support/tables.ts'

const { values: options } = parseArgs({ options: { record: { type: 'boolean', default: false } } })
const all = await collect(
  comparing(measureQuick(), {
    recorded: readResults().quick,
    compare: options.record ? () => 'new' : compareQuick,
    again: ({ name }) => measureQuick([name]),
  }),
)
console.log(`${machine()}\n\n${tableOf(quickRows(all))}`)
if (options.record) {
  const fresh = all.map(({ result }) => result)
  writeResults(withResults(readResults(), 'quick', { fresh, measured: machine() }))
} else {
  const said = advice(all, 'npm run bench:quick -- --record')
  if (said) console.log(`\n${said}`)
  if (isSlower(all)) process.exitCode = 1
}
