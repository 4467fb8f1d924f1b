import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { Api } from './api.ts'
import { AppModule } from './app-module.ts'
import { migrateDatabase } from './database.ts'

await migrateDatabase()
const app = await NestFactory.create(AppModule)
app.enableShutdownHooks()
// Before Nest's own parsers, whose limits and errors are not those of the API.
app.use(app.get(Api).handler)
await app.listen(process.env.PORT ?? 3000, '127.0.0.1')
console.log(`The API is at ${await app.getUrl()}/api/`)
