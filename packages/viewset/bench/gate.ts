// npm run bench:gate -- [case ...] [--dialect sqlite|pg] [--rounds n]
import { parseArgs } from 'node:util'
import { advice, type Compared, compare, comparing, isSlower } from './support/compare.ts'
import { machine } from './support/machine.ts'
import { measureCases } from './support/measure-cases.ts'
import { reportHead, reportLine } from './support/report.ts'
import { readResults } from './support/results.ts'

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { dialect: { type: 'string', multiple: true }, rounds: { type: 'string', default: '15' } },
})
const rounds = Number(options.rounds)
const measured = measureCases({ dialects: options.dialect ?? [], names, rounds })
console.log(machine())
console.log(reportHead())
const all: Compared[] = []
for await (const one of comparing(measured, {
  recorded: readResults().cases,
  compare,
  again: ({ name, dialect }) => measureCases({ dialects: [dialect], names: [name], rounds }),
})) {
  console.log(`${reportLine(one.result)}  ${one.comparison}`)
  all.push(one)
}
const said = advice(all, 'npm run bench:report -- cases')
if (said) console.log(`\n${said}`)
if (isSlower(all)) process.exitCode = 1
