import closeWithGrace from 'close-with-grace'
import { createConduit } from './app.ts'
import { openDatabase } from './database.ts'

const { env } = process
const app = await createConduit(await openDatabase(env), env.CONDUIT_SECRET)
closeWithGrace({ delay: 10_000 }, () => app.close())
console.log(`Conduit is ready: ${await app.listen({ port: Number(env.PORT ?? 3000), host: '127.0.0.1' })}/api`)
