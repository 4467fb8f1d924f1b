import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { CliError, type OutputOptions, suggestion } from 'viewset/internal'
import { draftResource, reasonAgainst } from './draft/draft-resource.ts'
import { type ExportedTable, exportedTables } from './draft/exported-tables.ts'
import { writeFiles } from './write-files.ts'

export interface AddResourceOptions extends OutputOptions {
  readonly models: string
  /** The folder for the resource. Default: `resources` beside the tables. */
  readonly out?: string | undefined
}

const USUAL = ['src/schema.ts', 'schema.ts', 'src/db/schema.ts', 'src/models.ts', 'models.ts']

/** The module with the tables of a project, if neither its configuration nor the command line names it. */
export function usualModels(folder: string): string {
  const found = USUAL.find(path => existsSync(join(folder, path)))
  if (found !== undefined) return join(folder, found)
  const example = "models: './src/schema.ts'"
  throw new CliError(`Which module exports the tables? Give it by --models, or in viewset.config.ts: ${example}`)
}

/**
 * Drafts a resource for a table of the project.
 *
 * @returns the path of the draft, and how to register it
 * @throws CliError
 */
export async function addResource(name: string, { models, out, force, cwd }: AddResourceOptions): Promise<string> {
  const tables = await exportedTables(models)
  const table = tableNamed(tables, name)
  const why = reasonAgainst(table.info)
  if (why !== undefined) throw new CliError(`${table.constant} cannot be a resource: ${why}.`)

  const folder = out === undefined ? join(dirname(models), 'resources') : resolve(cwd, out)
  const draft = draftResource(table, tables, { tables: specifier(folder, models) })
  const path = join(folder, `${draft.name}.ts`)
  await writeFiles(new Map([[path, draft.text]]), { force })
  const key = /^\w+$/.test(draft.name) ? draft.name : `'${draft.name}'`
  return [
    path,
    '',
    `Where your API is registered, add (the path is as from ${relative(cwd, dirname(models)) || 'this folder'}):`,
    `  import { ${draft.viewset} } from '${specifier(dirname(models), path)}'`,
    `  resources: { ..., ${key}: ${draft.viewset} }`,
    ...(draft.notes.length > 0 ? ['', 'Please look at:', ...draft.notes.map(note => `- ${note}`)] : []),
  ].join('\n')
}

/** By its export name or by the table's own name. */
function tableNamed(tables: readonly ExportedTable[], name: string): ExportedTable {
  const found = tables.find(({ constant }) => constant === name) ?? tables.find(({ info }) => info.name === name)
  if (found) return found
  const known = tables.map(({ constant }) => constant)
  throw new CliError(`There is no table "${name}"${suggestion(name, known)}`)
}

function specifier(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}
