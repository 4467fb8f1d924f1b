import Database from 'better-sqlite3'
import Fastify from 'fastify'

// What `app.ts` answers, without Viewset, Drizzle and Zod: what a start costs that has Fastify and better-sqlite3 in it.
const list = new Database('shop.db').prepare('select id, title, created_at from articles where is_active limit 20')
const app = Fastify()
app.get('/api/articles/', async () => ({ success: true, data: list.all() }))
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
