/** What both programs have in common: the books of `examples/nest`, whose folder they are put in. */
const api = `
import { apiKey, hashApiKey } from 'viewset/auth'
import { createHandler } from 'viewset/fetch'
import { BookViewSet } from './books.ts'
import { migrateDatabase, openDatabase } from './database.ts'

await migrateDatabase()
const database = openDatabase()
const handler = createHandler({
  prefix: '/api',
  database,
  resources: { books: BookViewSet },
  authenticate: apiKey({ keys: { [hashApiKey(process.env.API_KEY)]: { id: 'admin' } } }),
})
process.on('SIGTERM', async () => {
  // It waits for what is under way: an answer that no client takes any more has ended.
  await handler.close()
  await database.close()
  process.exit(0)
})
`

/** The runtimes that have a package in npm's registry, each with a program that serves an API. */
export const runtimes = [
  {
    name: 'Bun',
    packaged: 'bun@1.4.5',
    command: ['bun'],
    program: `${api}
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handler })
console.log('http://127.0.0.1:' + server.port)
`,
  },
  {
    name: 'Deno',
    packaged: 'deno@2.9.6',
    command: ['deno', 'run', '--allow-all'],
    program: `${api}
const onListen = ({ port }) => console.log('http://127.0.0.1:' + port)
Deno.serve({ hostname: '127.0.0.1', port: 0, onListen }, handler)
`,
  },
] as const
