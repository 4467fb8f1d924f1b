import { Database } from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import type { TestDialect } from './dialects.ts'
import { MortalDriver } from './mortal-driver.ts'

/** A database whose process can be killed at any step, and the same database as nobody kills it. */
export interface MortalDialect {
  readonly dialect: TestDialect
  readonly driver: MortalDriver
  readonly alive: Database
  /** Where the database is. */
  readonly url: string
}

/** Its driver and database exist once the API of a test has opened them. */
export function mortalDialect(of: TestDialect): MortalDialect {
  let driver: MortalDriver | undefined
  let alive: Database | undefined
  let address: string | undefined
  const made = <T>(value: T | undefined): T => {
    if (!value) throw new Error('The database has not been opened yet: use it inside of a test.')
    return value
  }
  return {
    dialect: {
      name: of.name,
      kit: of.kit,
      get server() {
        return of.server
      },
      open(url) {
        address = url
        alive = of.name === 'pg' ? postgres(url) : sqlite(url)
        driver = new MortalDriver(alive.driver)
        return new Database(driver)
      },
    },
    get driver() {
      return made(driver)
    },
    get alive() {
      return made(alive)
    },
    get url() {
      return made(address)
    },
  }
}
