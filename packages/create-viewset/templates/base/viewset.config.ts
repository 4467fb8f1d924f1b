// What the command `viewset` reads, as in: npm run openapi
import { defineConfig } from 'viewset'
import { api } from './src/api.ts'

export default defineConfig({ resources: api.resources, api })
