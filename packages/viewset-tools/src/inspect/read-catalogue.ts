import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError, refuseMissing } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import type { Spelling } from './spelling.ts'

export interface Catalogue {
  readonly tables: readonly CatalogueTable[]
  readonly spelling: Spelling
}

/** Reads the database at `postgres://...` or in an SQLite file, and changes nothing. */
export async function readCatalogue(url: string, schemas: readonly string[], cwd: string): Promise<Catalogue> {
  // Each branch loads its own driver, so the other driver need not be installed.
  const reading = /^postgres(?:ql)?:/.test(url) ? readPostgres(url, schemas) : readSqlite(url, cwd)
  return reading.catch(error => {
    refuseMissing(error)
    throw error
  })
}

async function readPostgres(url: string, schemas: readonly string[]): Promise<Catalogue> {
  const { postgres } = await import('viewset/pg')
  const { readPgCatalogue } = await import('../catalogue/pg-catalogue.ts')
  const { pgSpelling } = await import('./pg-spelling.ts')
  const database = postgres(url, { poolSize: 1 })
  try {
    return { tables: await readPgCatalogue(database.driver, schemas), spelling: pgSpelling }
  } catch (error) {
    throw new CliError(`The database cannot be read: ${(error as Error).message}`, 1, error)
  } finally {
    await database.close()
  }
}

async function readSqlite(url: string, cwd: string): Promise<Catalogue> {
  // The rest of the address may contain a password.
  const [, stranger] = /^(?!file:|sqlite:)([a-z][\w+.-]*):\/\//i.exec(url) ?? []
  if (stranger !== undefined)
    throw new CliError(`${stranger} is not known; --url takes postgres://... or the path of an SQLite file.`)
  const path = url.startsWith('file://') ? fileURLToPath(url) : resolve(cwd, url.replace(/^(?:file|sqlite):/, ''))
  if (!existsSync(path))
    throw new CliError(`There is no ${path}; --url takes postgres://... or the path of an SQLite file.`)
  const { readSqliteFile } = await import('../catalogue/sqlite-file.ts')
  const { sqliteSpelling } = await import('./sqlite-spelling.ts')
  try {
    return { tables: await readSqliteFile(path), spelling: sqliteSpelling }
  } catch (error) {
    throw new CliError(`The database cannot be read: ${(error as Error).message}`, 1, error)
  }
}
