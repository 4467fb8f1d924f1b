// Imports the same file again and again: `process.ts <floor|viewset> <pg|sqlite> <database> <file> [rows of a chunk]`.
import { ImportService } from 'viewset'
import { answerQuestions } from '../support/answer-questions.ts'
import { openTowns } from './database.ts'
import { config } from './fixture.ts'
import { floorImporter } from './floor.ts'

const [side, dialect, location, path, chunkSize] = process.argv.slice(2) as [
  string,
  'pg' | 'sqlite',
  string,
  string,
  string?,
]
const importFile = await (side === 'floor' ? floorImporter(dialect, location) : viewsetImporter())
answerQuestions({}, async () => {
  const { failed } = await importFile(path)
  if (failed > 0) throw new Error(`${failed} rows failed`)
})

async function viewsetImporter() {
  const { database, tables } = await openTowns(dialect, location)
  const service = new ImportService(config(tables, chunkSize === undefined ? undefined : Number(chunkSize)), {
    database,
    limits: { maxBytes: 2 ** 30, maxRows: 2 ** 24, maxInflatedBytes: 2 ** 31 },
  })
  return (file: string) => service.import(file, { append: true })
}
