import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import type { Request } from 'express'
import { createHandler } from 'viewset/node'
import { BookViewSet } from './books.ts'
import { openDatabase } from './database.ts'
import { Users } from './users.ts'

declare module 'viewset' {
  interface NativeRequests {
    /** What `authenticate` and views see as `native`. */
    readonly framework: Request
  }
}

/** The resources as middleware, which asks the application's own provider who is there. */
@Injectable()
export class Api implements OnApplicationShutdown {
  readonly #database = openDatabase()
  readonly handler

  constructor(users: Users) {
    this.handler = createHandler({
      prefix: '/api',
      database: this.#database,
      resources: { books: BookViewSet },
      authenticate: ({ native }) => users.userOf(native),
    })
  }

  async onApplicationShutdown() {
    await this.handler.close()
    await this.#database.close()
  }
}
