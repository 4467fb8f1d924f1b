import { type PostgresOptions, postgres } from 'viewset/pg'
import { pgDialect, type TestDialect } from './dialects.ts'

/** PostgreSQL with options of a test's own, and the address of the database that the test gets. */
export interface OwnPostgres extends TestDialect {
  /** Known once the API of the test is there: in hooks and tests. */
  readonly url: string
}

/** For a test that changes settings of its database, or has to look at it from beside the API. */
export function ownPostgres(options: PostgresOptions = {}): OwnPostgres {
  let url = ''
  return {
    name: pgDialect.name,
    kit: pgDialect.kit,
    get server() {
      return pgDialect.server
    },
    get url() {
      return url
    },
    open: address => {
      url = address
      return postgres(url, options)
    },
  }
}
