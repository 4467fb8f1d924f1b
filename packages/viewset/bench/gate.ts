// npm run bench:gate -- [case ...] [--dialect sqlite|pg] [--rounds n]
import { parseArgs } from 'node:util'
import { advice, compare, recordedOf } from './support/compare.ts'
import { machine } from './support/machine.ts'
import { measureCases } from './support/measure-cases.ts'
import { type CaseResult, reportHead, reportLine } from './support/report.ts'
import { readResults } from './support/results.ts'

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { dialect: { type: 'string', multiple: true }, rounds: { type: 'string', default: '15' } },
})
const { cases: recorded } = readResults()
const rounds = Number(options.rounds)
const slower: CaseResult[] = []
const faster: CaseResult[] = []
console.log(machine())
console.log(reportHead())
for await (const result of measureCases({ dialects: options.dialect ?? [], names, rounds })) {
  const comparison = compare(recordedOf(recorded, result), result)
  console.log(`${reportLine(result)}  ${comparison}`)
  if (comparison === 'faster') faster.push(result)
  if (comparison !== 'slower') continue
  // Once may be the machine's fault.
  for await (const again of measureCases({ dialects: [result.dialect], names: [result.name], rounds })) {
    const second = compare(recordedOf(recorded, again), again)
    console.log(`${reportLine(again)}  ${second}`)
    if (second === 'slower') slower.push(again)
  }
}
const said = advice(slower, faster)
if (said) console.log(`\n${said}`)
if (slower.length > 0) process.exitCode = 1
