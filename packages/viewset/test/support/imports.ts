import type { SQL } from 'drizzle-orm'
import {
  type Database,
  type ImportOptions,
  type ImportResult,
  ImportService,
  type ImportServiceOptions,
  type Model,
  QuerySet,
} from 'viewset'
import { createTestDatabase, type TestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import type { TestDialect } from './dialects.ts'

type Cell = string | number | null

/** Rows as CSV, the header first. */
export function csv(...rows: readonly (readonly Cell[])[]): Buffer {
  const text = (cell: Cell) =>
    /[",\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell ?? '')
  return Buffer.from(rows.map(row => `${row.map(text).join(',')}\r\n`).join(''))
}

/** An empty database with some tables. */
export interface ImportFixture {
  readonly database: Database
  readonly url: string
  clear(): Promise<void>
  /** Rows of a table in the order of `by`, with the columns that are asked for, as the database's text. */
  rows(table: string, ...columns: readonly string[]): Promise<readonly (readonly (string | null)[])[]>
  run(text: string): Promise<void>
}

/** A database for the tests of the surrounding suite, with empty tables before each of them. */
export function useDatabase(
  dialect: TestDialect,
  schema: Readonly<Record<string, unknown>>,
  prepare: readonly string[] = [],
): ImportFixture {
  let test: TestDatabase | undefined
  const opened = () => {
    if (!test) throw new Error('The database has not been made yet: use it inside of a test.')
    return test
  }
  beforeAll(async () => {
    test = await createTestDatabase({ ...dialect.server, schema })
    for (const text of prepare) await test.database.driver.run({ text }, [])
  })
  beforeEach(() => opened().clear())
  afterAll(() => test?.drop())
  return {
    get database() {
      return opened().database
    },
    get url() {
      return opened().url
    },
    clear: () => opened().clear(),
    async rows(table, ...columns) {
      const names = columns.map(name => `"${name}"`).join(', ')
      const { rows } = await opened().database.driver.run(
        { text: `select ${names} from "${table}" order by ${names}` },
        [],
      )
      return rows.map(row => row.map(value => (value === null ? null : String(value))))
    },
    async run(text) {
      await opened().database.driver.run({ text }, [])
    },
  }
}

/** Imports a file once. */
export function importOnce(
  config: ConstructorParameters<typeof ImportService>[0],
  source: Buffer | string,
  options: ImportServiceOptions & Partial<ImportOptions>,
): Promise<ImportResult> {
  return new ImportService(config, options).import(source, { append: true, ...options })
}

/** The records of a model that meet `condition`, as a resource's getQueryset would return them. */
export function querysetOf(database: Database, model: Model, condition: SQL): QuerySet {
  return new QuerySet(database, modelInfo(model)).filter(condition)
}
