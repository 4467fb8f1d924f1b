import { migrateDatabase } from '../../../../viewset/src/store/connection/database.ts'
import { readEnvironment } from './environment.ts'
import { explain } from './explain.ts'

try {
  await migrateDatabase(readEnvironment().DATABASE_URL)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
