// npm run bench:report -- [cases|quick|peers|growth|lists|start|neighbours ...] [--rounds n] [--rows n,n] [--render]
import { parseArgs } from 'node:util'
import { DIALECTS } from './case.ts'
import { measureGrowth } from './growth/measure.ts'
import { LIST_SIZES, measureLists } from './lists/measure.ts'
import { measureNeighbours } from './neighbours/measure.ts'
import { measurePeers } from './peers/measure.ts'
import { measureStarts } from './start/measure.ts'
import { LeftOut } from './support/left-out.ts'
import { machine } from './support/machine.ts'
import { chosen, measureCases } from './support/measure-cases.ts'
import { measureQuick } from './support/measure-quick.ts'
import { writePages } from './support/pages.ts'
import { PARTS, type Part, type Results, readResults, withResults, writeResults } from './support/results.ts'
import { tableOf } from './support/table.ts'
import { TABLES } from './support/tables.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    // Ten million rows take longer than all others: `growth --rows 10000000`.
    rows: { type: 'string', default: '1000,10000,100000,1000000' },
    beside: { type: 'string', default: '1000000' },
    render: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)

/** How a part is measured. */
interface Measuring<P extends Part> {
  measure(): AsyncIterable<Results[P][number]>
  /** Whether an older result stays that was not measured again. By default, none does. */
  readonly keeps?: (result: Results[P][number]) => boolean
}

const leftOutPeers = new Set<string>()
const measuring: { readonly [P in Part]: Measuring<P> } = {
  cases: { measure: () => measureCases({ rounds, explain: true }) },
  quick: { measure: () => measureQuick() },
  peers: {
    measure: () => measurePeers(Math.min(rounds, 5), leftOutPeers),
    keeps: ({ name }) => leftOutPeers.has(name),
  },
  growth: {
    measure: async function* () {
      for (const dialect of DIALECTS) {
        for (const rows of options.rows.split(',')) yield await measureGrowth(dialect, Number(rows))
      }
    },
    keeps: () => true,
  },
  lists: {
    measure: async function* () {
      for (const dialect of DIALECTS) yield* measureLists(dialect, LIST_SIZES[dialect])
    },
  },
  start: { measure: () => measureStarts() },
  neighbours: {
    measure: async function* () {
      for (const dialect of DIALECTS) yield* measureNeighbours(dialect, Number(options.beside))
    },
  },
}

/** Measures a part. Each result is recorded at once, so that none is lost if a later one fails. */
async function record<P extends Part>(part: P): Promise<void> {
  const { measure, keeps }: Measuring<P> = measuring[part]
  const before = readResults()
  const fresh: Results[P][number][] = []
  const write = (keepsOlder: Measuring<P>['keeps']) => {
    writeResults(withResults(before, part, { fresh, measured: machine(), keeps: keepsOlder }))
  }
  for await (const result of measure()) {
    fresh.push(result)
    write(() => true)
  }
  write(keeps)
}

for (const part of options.render ? [] : chosen('part', positionals, PARTS)) {
  const started = performance.now()
  try {
    await record(part)
    const minutes = ((performance.now() - started) / 60_000).toFixed(1)
    console.log(`\n${part}, ${machine()}, ${minutes} min\n\n${tableOf(TABLES[part].rows(readResults()))}`)
  } catch (error) {
    if (!(error instanceof LeftOut)) {
      process.exitCode = 1
      console.error(error)
    }
    console.log(
      `${part}: ${error instanceof LeftOut ? error.message : 'not measured to the end'}. Older figures are kept.`,
    )
  }
}
writePages(readResults())
