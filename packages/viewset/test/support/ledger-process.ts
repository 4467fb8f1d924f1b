// Writers in a process of their own: `ledger-process.ts <dialect> <address> <seed> <transactions>`.
import { writeToLedger } from './ledger.ts'

const [dialect = '', url = '', seed, transactions] = process.argv.slice(2)
await Promise.all(
  [0, 1].map(writer =>
    writeToLedger(dialect, url, { seed: Number(seed) + writer, transactions: Number(transactions) }),
  ),
)
