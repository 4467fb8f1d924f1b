import Database from 'better-sqlite3'
import type { Statement } from 'viewset/dialect'
import type { CatalogueTable } from './catalogue.ts'
import { readSqliteCatalogue } from './sqlite-catalogue.ts'

/** Opens the file for reading only: not even its journal mode changes. */
export async function readSqliteFile(path: string): Promise<readonly CatalogueTable[]> {
  const handle = new Database(path, { readonly: true, fileMustExist: true })
  const run = async ({ text }: Statement, values: readonly unknown[]) => {
    return {
      rows: handle
        .prepare<unknown[], unknown[]>(text)
        .raw()
        .all(...values),
      changes: 0,
    }
  }
  try {
    return await readSqliteCatalogue({ run })
  } finally {
    handle.close()
  }
}
