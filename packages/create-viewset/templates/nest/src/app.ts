import type { LogLevel } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { Api, type ApiOptions } from './api-provider.ts'
import { AppModule } from './app-module.ts'

interface AppOptions extends ApiOptions {
  /** The levels that are logged. Default: none. */
  readonly logLevels?: LogLevel[]
}

/** Makes the application, for production and for tests. */
export async function createApp({ logLevels = [], ...options }: AppOptions): Promise<NestExpressApplication> {
  const module = { module: AppModule, providers: [{ provide: Api, useFactory: () => new Api(options) }] }
  // The caller reports errors of the start.
  const settings = { logger: logLevels, abortOnError: false }
  const app = await NestFactory.create<NestExpressApplication>(module, settings)
  app.disable('x-powered-by')
  // Before Nest's own parsers: they have other limits and other errors than the API.
  app.use(app.get(Api).handler)
  return app
}
