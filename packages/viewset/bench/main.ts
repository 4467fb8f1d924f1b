// npm run bench -- [case ...] [--dialect sqlite|pg] [--rounds n] [--profile folder]
import { parseArgs } from 'node:util'
import { machine } from './support/machine.ts'
import { measureCases } from './support/measure-cases.ts'
import { reportHead, reportLine } from './support/report.ts'

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    dialect: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '15' },
    profile: { type: 'string' },
  },
})
const { dialect: dialects = [], rounds, profile } = options
console.log(machine())
console.log(reportHead())
for await (const result of measureCases({ dialects, names, rounds: Number(rounds), profile })) {
  console.log(reportLine(result))
}
