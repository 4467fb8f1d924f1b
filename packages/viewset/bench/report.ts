// npm run bench:report -- [cases|peers|growth|start|neighbours ...] [--rounds n] [--rows n,n] [--render]
import { parseArgs } from 'node:util'
import { DIALECTS } from './case.ts'
import { measureGrowth } from './growth/measure.ts'
import { measureNeighbours } from './neighbours/measure.ts'
import { measurePeers } from './peers/measure.ts'
import { measureStarts } from './start/measure.ts'
import { machine } from './support/machine.ts'
import { chosen, collect, measureCases } from './support/measure-cases.ts'
import { writePages } from './support/pages.ts'
import { PARTS, type Part, type Results, readResults, withGrowth, writeResults } from './support/results.ts'
import { tableOf } from './support/table.ts'
import { TABLES } from './support/tables.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    // Ten million as well: `--rows 1000,10000,100000,1000000,10000000`.
    rows: { type: 'string', default: '1000,10000,100000,1000000' },
    beside: { type: 'string', default: '1000000' },
    render: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)

const measure: { readonly [P in Part]: () => Promise<Results[P]> } = {
  cases: () => collect(measureCases({ rounds, explain: true })),
  peers: () => measurePeers(Math.min(rounds, 5)),
  growth: async () => {
    for (const dialect of DIALECTS) {
      for (const rows of options.rows.split(',')) {
        const result = await measureGrowth(dialect, Number(rows))
        // Ten million rows take minutes: what is measured is kept, whatever comes of the rest.
        const { growth, ...others } = readResults()
        writeResults({ ...others, growth: withGrowth(growth, result) })
      }
    }
    return readResults().growth
  },
  start: () => collect(measureStarts()),
  neighbours: async () => {
    const found = DIALECTS.map(dialect => () => collect(measureNeighbours(dialect, Number(options.beside))))
    const results: Results['neighbours'][number][] = []
    for (const run of found) results.push(...(await run()))
    return results
  },
}
const parts = options.render ? [] : chosen('part', positionals, PARTS)
for (const part of parts) {
  const measured = await measure[part]()
  const before = readResults()
  // Each part is kept as soon as it is there.
  const results = { ...before, measured: { ...before.measured, [part]: machine() }, [part]: measured }
  writeResults(results)
  console.log(`\n${part}, ${machine()}\n\n${tableOf(TABLES[part].rows(results))}`)
}
writePages(readResults())
