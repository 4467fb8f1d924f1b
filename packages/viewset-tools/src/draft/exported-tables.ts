import { existsSync } from 'node:fs'
import { is, Table } from 'drizzle-orm'
import { singularize } from 'inflection'
import type { TableInfo } from 'viewset'
import { CliError, importModule, tableInfo } from 'viewset/internal'

export interface ExportedTable {
  readonly constant: string
  /** A unique name for a record, in PascalCase. */
  readonly record: string
  readonly info: TableInfo
}

/** The tables of a module by their export names. @throws CliError; the errors of the module */
export async function exportedTables(path: string): Promise<readonly ExportedTable[]> {
  if (!existsSync(path)) throw new CliError(`There is no ${path}.`)
  const found = Object.entries(await importModule(path)).filter((entry): entry is [string, Table] =>
    is(entry[1], Table),
  )
  if (found.length === 0) throw new CliError(`${path} exports no Drizzle table.`)
  const singulars = found.map(([constant]) => singularize(constant))
  const isUnique = (name: string) => singulars.indexOf(name) === singulars.lastIndexOf(name)
  return found.map(([constant, table], index) => {
    const singular = singulars[index] ?? constant
    const record = isUnique(singular) ? singular : constant
    return { constant, record: record.charAt(0).toUpperCase() + record.slice(1), info: tableInfo(table) }
  })
}
