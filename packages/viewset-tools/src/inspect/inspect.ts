import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { CliError, type OutputOptions } from 'viewset/internal'
import type { CatalogueTable } from '../catalogue/catalogue.ts'
import { importLine, onOneLine } from '../code.ts'
import { draftReference } from '../draft/draft-relations.ts'
import { draftResource, type ResourceDraft, reasonAgainst } from '../draft/draft-resource.ts'
import { type ExportedTable, exportedTables } from '../draft/exported-tables.ts'
import { writeFiles } from '../write-files.ts'
import { draftSchema } from './draft-schema.ts'
import { readCatalogue } from './read-catalogue.ts'

export interface InspectOptions extends OutputOptions {
  /** `postgres://...`, or the path of an SQLite file. */
  readonly url: string
  /** The folder for the files. */
  readonly out: string
  /** The schemas of PostgreSQL to draft. */
  readonly schemas: readonly string[]
}

/** Tables of migration tools. */
const MIGRATIONS =
  /^(?:__drizzle_migrations|_prisma_migrations|knex_migrations(_lock)?|schema_migrations|ar_internal_metadata|alembic_version|django_migrations|flyway_schema_history|SequelizeMeta|pgmigrations)$/

/**
 * Drafts tables and resources for an existing database.
 *
 * @returns the text to print: the files, how to register them, and parts that could not be drafted
 * @throws CliError
 */
export async function inspect({ url, out, schemas, force, cwd }: InspectOptions): Promise<string> {
  const { tables: found, spelling } = await readCatalogue(url, schemas, cwd)
  const applicationTables = found.filter(({ name, kind }) => kind === 'table' && !MIGRATIONS.test(name))
  if (applicationTables.length === 0) throw new CliError('The database has no tables to draft resources for.')
  const schema = draftSchema(applicationTables, spelling)
  const folder = resolve(cwd, out)
  const tables = await readTables(schema.text, folder)
  // drizzle-kit would create tables for views, so they stand in a file that it does not read.
  const views = found.filter(({ kind }) => kind === 'view')
  const viewSchema = views.length > 0 ? draftSchema(views, spelling) : undefined
  const viewTables = viewSchema ? await readTables(viewSchema.text, folder) : []

  const place = { tables: '../schema.ts', references: './references.ts' }
  const refused = [...tables, ...viewTables].flatMap(({ constant, info }) => {
    const why = reasonAgainst(info)
    return why === undefined ? [] : `${constant}: no resource, since ${why}.`
  })
  const isDrafted = ({ info }: ExportedTable) => reasonAgainst(info) === undefined
  const drafts = [
    ...tables.filter(isDrafted).map(table => draftResource(table, tables, place)),
    ...viewTables.filter(isDrafted).map(view => draftResource(view, viewTables, { ...place, tables: '../views.ts' })),
  ]
  const notes = [
    ...found.flatMap(strange),
    ...schema.notes,
    ...(viewSchema
      ? ['views.ts has the views: keep it out of the files that drizzle-kit reads.', ...viewSchema.notes]
      : []),
    ...refused,
    ...drafts.flatMap(draft => draft.notes),
  ].map(onOneLine)

  const resources = join(folder, 'resources')
  const referred = [...new Set(drafts.flatMap(draft => draft.referred))]
  const files = new Map([
    [join(folder, 'schema.ts'), schema.text],
    ...(viewSchema ? [[join(folder, 'views.ts'), viewSchema.text] as const] : []),
    ...drafts.map(({ name, text }) => [join(resources, `${name}.ts`), text] as const),
    ...(referred.length > 0 ? [[join(resources, 'references.ts'), referencesCode(referred)] as const] : []),
    [join(resources, 'index.ts'), indexCode(drafts, notes)],
  ])
  await writeFiles(files, { force })
  return report(drafts, notes, relative(cwd, folder) || '.')
}

/** Reads the tables as an application would, before a file of its own is written. */
async function readTables(schema: string, folder: string): Promise<readonly ExportedTable[]> {
  await mkdir(folder, { recursive: true })
  // In the target folder, where Node finds the packages of the project.
  const temporary = await mkdtemp(join(folder, '.viewset-inspect-'))
  try {
    const path = join(temporary, 'schema.mts')
    await writeFile(path, schema)
    return await exportedTables(path)
  } finally {
    await rm(temporary, { recursive: true })
  }
}

function strange({ name, kind }: CatalogueTable): readonly string[] {
  return kind === 'table' || kind === 'view' ? [] : [`${name}: no resource, since it is a ${kind}.`]
}

function referencesCode(tables: readonly ExportedTable[]): string {
  const imports = [
    importLine(['BaseModelSerializer'], 'viewset'),
    importLine(
      tables.map(({ constant }) => constant),
      '../schema.ts',
    ),
  ]
  const comment = '// How records are shown where others refer to them.'
  return `${imports.join('\n')}\n\n${comment}\n${tables.map(table => `export ${draftReference(table)}\n`).join('')}`
}

function indexCode(drafts: readonly ResourceDraft[], notes: readonly string[]): string {
  const imports = drafts.map(({ name, viewset }) => `import { ${viewset} } from './${name}.ts'\n`)
  const lines = drafts.map(({ name, viewset }) => `  ${/^\w+$/.test(name) ? name : `'${name}'`}: ${viewset},\n`)
  const comment = notes.map(note => `// - ${note}\n`).join('')
  const heading = notes.length > 0 ? `// What was not drafted as it is in the database:\n${comment}` : ''
  return `${imports.join('')}\n${heading}export const resources = {\n${lines.join('')}}\n`
}

function report(drafts: readonly ResourceDraft[], notes: readonly string[], folder: string): string {
  const lines = [
    `${drafts.length} resources drafted: ${drafts.map(({ name }) => name).join(', ')}.`,
    `Tables are in ${join(folder, 'schema.ts')}, resources in ${join(folder, 'resources')}.`,
    '',
    'Register them: give `resources` of resources/index.ts to your API, with `database` and `authenticate`.',
    'Each resource takes users who are signed in (IsAuthenticated); say who may do what in its permissionClasses.',
  ]
  return [...lines, ...(notes.length > 0 ? ['', 'Please look at:', ...notes.map(note => `- ${note}`)] : [])].join('\n')
}
