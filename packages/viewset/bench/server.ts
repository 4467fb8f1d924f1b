// A server of one case, as a process of its own: `server.ts <side> <dialect> <case> <location of the database>`.
import { once } from 'node:events'
import type { Server } from 'node:http'
import { addressOf, type BenchCase, DIALECTS, type DialectName } from './case.ts'
import { cases } from './cases/all.ts'
import { openDatabase, POOL_SIZE } from './fixture/database.ts'
import { createFloor, type Handler } from './floor/server.ts'
import { answerQuestions } from './support/answer-questions.ts'

const HOST = '127.0.0.1'
const [side, dialectName, caseName, location = ''] = process.argv.slice(2)
const dialect = DIALECTS.find(name => name === dialectName)
const benchCase = cases.find(({ name }) => name === caseName)
if (!dialect || !benchCase) throw new Error('Run this through main.ts')

const port = await (side === 'floor' ? startFloor : startViewset)(benchCase, dialect, location)
answerQuestions({ port })

async function startFloor(measured: BenchCase, database: DialectName, at: string): Promise<number> {
  const server = createFloor(addressOf(measured), await floorHandler(measured, database, at)).listen(0, HOST)
  await once(server, 'listening')
  return portOf(server)
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server does not listen')
  return address.port
}

async function floorHandler({ floor }: BenchCase, database: DialectName, at: string): Promise<Handler> {
  if (database === 'sqlite') {
    const { default: Sqlite } = await import('better-sqlite3')
    const connection = new Sqlite(at)
    connection.pragma('journal_mode = wal')
    return floor.sqlite(connection)
  }
  const { default: pg } = await import('pg')
  return floor.pg(new pg.Pool({ connectionString: at, max: POOL_SIZE }))
}

async function startViewset(measured: BenchCase, dialectOf: DialectName, at: string): Promise<number> {
  const [{ default: Fastify }, { resources, serverOptions }] = await Promise.all([
    import('fastify'),
    import('viewset/fastify'),
  ])
  const { database, tables } = await openDatabase(dialectOf, at)
  const app = Fastify(serverOptions)
  await app.register(resources, {
    prefix: '/api',
    database,
    resources: { [measured.name]: measured.viewset(tables) },
  })
  await app.listen({ port: 0, host: HOST })
  return portOf(app.server)
}
