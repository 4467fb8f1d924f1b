import type { LogLevel } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { Api, type ApiOptions } from './api-provider.ts'
import { AppModule } from './app-module.ts'

interface AppOptions extends ApiOptions {
  /** What is logged. Default: nothing. */
  readonly logLevels?: LogLevel[]
}

/** The application: the same in production and in tests. */
export async function createApp({ logLevels = [], ...options }: AppOptions): Promise<NestExpressApplication> {
  const module = { module: AppModule, providers: [{ provide: Api, useFactory: () => new Api(options) }] }
  // What goes wrong is told by who starts the application.
  const settings = { logger: logLevels, abortOnError: false }
  const app = await NestFactory.create<NestExpressApplication>(module, settings)
  app.disable('x-powered-by')
  // Before Nest's own parsers, whose limits and errors are not those of the API.
  app.use(app.get(Api).handler)
  return app
}
