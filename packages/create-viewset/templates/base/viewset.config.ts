// What the command `viewset` reads, as in: npm run openapi
import { defineConfig } from 'viewset'
import { api } from './src/api.ts'
import { openDatabase } from './src/database.ts'
import { readEnvironment } from './src/environment.ts'

export default defineConfig({
  resources: api.resources,
  api,
  database: () => openDatabase(readEnvironment().DATABASE_URL),
})
