// npm run docs:settings: writes docs/settings-parameters-and-commands.md from the sources: doc comments of settings, the
// OpenAPI document of an API that has everything, and the help of the command line. A test compares the page.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '../packages/viewset/src/cli/commands/openapi.ts'
import { HELP } from '../packages/viewset/src/cli/help.ts'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  BulkRestoreModelMixin,
  BulkUpsertModelMixin,
  CursorPagination,
  HistoryModelMixin,
  importModel,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
  RestoreModelMixin,
} from '../packages/viewset/src/index.ts'
import { kit as c } from '../packages/viewset/src/sqlite.ts'
import { commentBefore } from './reference/doc-comment.ts'

const src = join(import.meta.dirname, '../packages/viewset/src')
const target = join(import.meta.dirname, '../docs/settings-parameters-and-commands.md')

/** A setting, a parameter or an option, and what it means. */
interface Row {
  readonly name: string
  readonly meaning: string
}

/** The properties of an interface, or of the type behind `opening`, in the order of the file. */
function propertiesIn(text: string, opening: RegExp): readonly Row[] {
  const found = opening.exec(text)
  if (!found) throw new Error(`scripts/settings.ts looks for ${opening}, which no source has.`)
  const start = found.index + found[0].length
  const depth = /^ */.exec(text.slice(start))?.[0].length ?? 0
  const end = start + text.slice(start).search(new RegExp(`^ {${depth - 2}}\\}`, 'm'))
  const property = new RegExp(`^ {${depth}}readonly (\\w+)\\??:`, 'gm')
  return Array.from(text.slice(start, end).matchAll(property), ({ 1: name = '', index }) => {
    const comment = commentBefore(text, start + index + depth)
    return { name, meaning: comment?.text ?? '' }
  })
}

function interfaceIn(path: string, name: string): readonly Row[] {
  return propertiesIn(readFileSync(join(src, path), 'utf8'), new RegExp(`interface ${name}\\b[^{]*\\{\\n`))
}

/** The settings that each mixin brings, by its name. */
function mixinSettings(): readonly (readonly [mixin: string, rows: readonly Row[]])[] {
  const files = globSync('viewset/mixins/*.ts', { cwd: src }).toSorted()
  const brought = files.flatMap(path => {
    const text = readFileSync(join(src, path), 'utf8')
    const mixins = text.matchAll(/^ {4}(\w+): \{\n {6}config: (?:\w+<[^>]*> & )?\{\n/gm)
    return Array.from(mixins, ({ 0: opening, 1: name = '' }) => {
      const rows = propertiesIn(text, new RegExp(opening.replace(/[{}()|&.*+?^$[\]\\]/g, '\\$&')))
      return [name, [...rows, ...(MORE[name]?.() ?? [])]] as const
    })
  })
  return brought.filter(([, rows]) => rows.length > 0)
}

/** Settings whose types have a name. */
const MORE: Readonly<Record<string, () => readonly Row[]>> = {
  FileExportMixin: () => [
    ...interfaceIn('exporting/export-service.ts', 'ExportSettings'),
    ...interfaceIn('exporting/formats.ts', 'FormatSettings'),
  ],
  FilterModelMixin: () => [
    ...interfaceIn('query/field-filter.ts', 'FilterSettings'),
    ...interfaceIn('query/search-filter.ts', 'SearchSettings'),
    ...interfaceIn('query/computed-ordering-filter.ts', 'OrderingSettings'),
  ],
}

interface JsonSchema {
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly schema?: JsonSchema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}

/** The operations of an API that has every route. */
async function operations(): Promise<readonly Operation[]> {
  const notes = c.table('notes', { ...c.BaseModelMixin(), ...c.VersionMixin(), text: c.text(50).notNull().unique() })
  const tables = { ...c.HistoryTable(notes), ...c.IdempotencyTable(), ...c.ImportMappingTable(), ...c.JobTables() }
  const fields = ['id', 'text', 'createdAt'] as const
  const config = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields }),
    permissionClasses: [AllowAny],
    searchFields: ['text'],
    orderingFields: ['text'],
  } as const
  const Notes = BulkImportableViewSet.add(
    BulkUpsertModelMixin,
    RestoreModelMixin,
    BulkRestoreModelMixin,
    HistoryModelMixin,
  )({
    ...config,
    softDelete: true,
    deletedPermissionClasses: [AllowAny],
    version: 'version',
    sparseFields: true,
    expandableFields: {},
    upsertFields: ['text'],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['notes'],
      models: { notes: importModel({ model: notes, fields: ['id', 'text'], uniqueFields: ['id'] }) },
    },
  })
  const Windows = ReadOnlyViewSet({ ...config, paginationClass: LimitOffsetPaginationWithFormat })
  const Cursors = ReadOnlyViewSet({ ...config, paginationClass: CursorPagination, ordering: 'text' })
  const resources = { notes: Notes, windows: Windows, cursors: Cursors }
  const { jobs, jobErrors, importMappings, idempotencyKeys } = tables
  const api = {
    resources,
    jobs: { tables: { jobs, jobErrors } },
    importMappings: { table: importMappings },
    idempotency: { table: idempotencyKeys },
    schema: true,
  }
  const document = JSON.parse(await openapi({ resources: {}, api }, { force: false, cwd: '.' })) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return Object.values(document.paths).flatMap(path => Object.values(path))
}

/** Rows of the same name and meaning once. A default of one resource is left out. */
function distinct(rows: readonly Row[]): readonly Row[] {
  const general = rows.map(({ name, meaning }) => ({ name, meaning: meaning.replace(/ Without it: -?\w+\./, '') }))
  const byText = new Map(general.map(row => [`${row.name} ${row.meaning}`, row]))
  return [...byText.values()].toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
}

function queryParameters(all: readonly Operation[]): readonly Row[] {
  return distinct(
    all
      .flatMap(({ parameters = [] }) => parameters)
      .filter(parameter => parameter.in === 'query' && !parameter.name.includes('__'))
      .map(({ name, description = '', schema }) => ({ name, meaning: meaningOf({ ...schema, description }) })),
  )
}

/** The members of a body. What has another form as a parameter means the same there. */
function bodyOf(all: readonly Operation[], operationId: RegExp, type: string): readonly Row[] {
  const texts = new Map(queryParameters(all).map(({ name, meaning }) => [name, meaning]))
  const bodies = all.filter(operation => operationId.test(operation.operationId)).map(({ requestBody }) => requestBody)
  return distinct(
    bodies.flatMap(body =>
      Object.entries(body?.content[type]?.schema.properties ?? {}).map(([name, schema]) => {
        return { name, meaning: meaningOf(schema) || texts.get(name) || '' }
      }),
    ),
  )
}

function meaningOf({ description = '', enum: values = [] }: Pick<JsonSchema, 'description' | 'enum'>): string {
  const texts = values.filter(value => typeof value === 'string' && value.trim() !== '').map(value => `\`${value}\``)
  return texts.length === 0 ? description : `${description} One of ${texts.join(', ')}.`.trim()
}

/** The commands of the help, each as a section of the page. */
function commandSections(help: string): readonly string[] {
  const [commands = '', common = ''] = help.split(/\n(?= {2}--force )/)
  const [, ...parts] = commands.split(/\n(?=(?:[a-z][a-z -]+)\n {2}[A-Z])/)
  const sections = parts.map(part => {
    const [name = '', ...lines] = part.trimEnd().split('\n')
    const [about = ''] = lines.join('\n').split(/\n\n/)
    const options = optionsIn(part)
    return `### \`viewset ${name}\`\n\n${cell(about)}${options.length > 0 ? `\n\n${table('Option', options)}` : ''}`
  })
  return [...sections, `### All commands\n\n${table('Option', optionsIn(common))}`]
}

function optionsIn(help: string): readonly Row[] {
  const options = help.matchAll(/^ {2}(-\S+(?: \| -\S+)?(?: <[^>]+>)?) +(\S.*)$/gm)
  return Array.from(options, ([, name = '', meaning = '']) => ({ name, meaning }))
}

function table(head: string, rows: readonly Row[]): string {
  const lines = rows.map(({ name, meaning }) => `| \`${name.replaceAll('|', '\\|')}\` | ${cell(meaning)} |`)
  return [`| ${head} | Meaning |`, '|---|---|', ...lines].join('\n')
}

function cell(text: string): string {
  return text
    .replace(/\{@link ([^}]*)\}/g, '`$1`')
    .replace(/(`[^`]*`)|[^\s`]*<[\w ]+>[^\s`]*/g, (match, code?: string) => code ?? `\`${match}\``)
    .replaceAll('|', '\\|')
    .replace(/\s+/g, ' ')
    .trim()
}

const API_GROUPS = {
  COMMON: 'CommonSettings',
  JOBS: 'JobSettings',
  IDEMPOTENCY: 'IdempotencySettings',
  HISTORY: 'HistorySettings',
}

/** The text of the page. */
export async function settingsPage(): Promise<string> {
  const all = await operations()
  const groups = Object.entries(API_GROUPS).map(([group, name]) => {
    const rows = interfaceIn('core/settings.ts', name)
    return `### \`${group}\`\n\n${table('Setting', rows)}`
  })
  const mixins = mixinSettings().map(([name, rows]) => `### \`${name}\`\n\n${table('Setting', rows)}`)
  const sections = [
    `## Settings of an API

An environment variable overrides a setting: \`COMMON_TIME_ZONE=Europe/Berlin\` overrides \`settings: { COMMON: { TIME_ZONE } }\`.
[Configuration](configuration.md#settings) says more.`,
    ...groups,
    `## Options of an API

They stand at the registration: \`app.register(resources, { prefix, database, resources, ... })\`.

${table('Option', [
  ...interfaceIn('http/api-options.ts', 'ApiOptions'),
  ...interfaceIn('describe/described-api.ts', 'DescribingOptions'),
  ...interfaceIn('core/messages/wording.ts', 'WordingOptions'),
  ...interfaceIn('core/project-envelope.ts', 'EnvelopeOptions'),
])}`,
    `### \`jobs\`\n\n${table('Option', [
      ...interfaceIn('viewset/jobs/job-viewset.ts', 'JobsOptions'),
      ...interfaceIn('viewset/jobs/job-access.ts', 'JobAccess'),
    ])}`,
    `## Settings of a resource

Every resource takes these. [ViewSets](viewsets.md) says more.

${table('Setting', interfaceIn('viewset/view.ts', 'BaseConfig'))}`,
    ...mixins,
    `## Settings of a serializer\n\n${table('Setting', interfaceIn('serializer/base-model-serializer.ts', 'SerializerConfig'))}`,
    `## Settings of an import

The keys of \`importFileConfig\`:

${table('Key', interfaceIn('importing/config.ts', 'ImportFileConfig'))}

The keys of \`importModel\`:

${table('Key', [
  ...interfaceIn('importing/config.ts', 'ImportModel'),
  ...interfaceIn('importing/config.ts', 'ImportPolicy'),
])}`,
    `## Query parameters

A resource has those of its routes and settings; its [OpenAPI document](openapi.md) lists them. [Filters](filtering.md) have the
names of their fields: \`rating__gte=3\`.

${table('Parameter', queryParameters(all))}`,
    `## Parts of an import

The parts of the form of \`POST /notes/import-from-file/\`:

${table('Part', bodyOf(all, /import/i, 'multipart/form-data'))}`,
    `## Keys of an export

The keys of the body of \`POST /notes/export/\`:

${table('Key', bodyOf(all, /export/i, 'application/json'))}`,
    `## Commands

\`npx viewset\` runs them. The last four need the package \`viewset-tools\`.
[On the command line](import-and-export-without-http.md#on-the-command-line) says more.`,
    ...commandSections(HELP),
  ]
  return `---
keywords: settings, options, parameters, commands, defaults, environment
---

# Settings, parameters and commands

\`npm run docs:settings\` writes this page from the sources.

${sections.join('\n\n')}
`
}

if (import.meta.main) writeFileSync(target, await settingsPage())
