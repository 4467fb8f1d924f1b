import { migrateDatabase } from './database.ts'
import { readEnvironment } from './environment.ts'
import { explain } from './explain.ts'

try {
  await migrateDatabase(readEnvironment().DATABASE_URL)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
