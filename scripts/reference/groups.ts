// The groups of the reference: what the root entry exports by subject, and the other entries.

/** Exports of the root entry about one subject: a page of the reference. */
export interface Group {
  readonly title: string
  /** Name of the page. */
  readonly page: string
  readonly about: string
  /** Folders and files of the sources. The longest one that fits an export decides. */
  readonly sources: readonly string[]
}

export const GROUPS: readonly Group[] = [
  {
    title: 'Models',
    page: 'models.md',
    about: 'Tables, columns, references, and what Viewset knows about them.',
    sources: ['model/'],
  },
  {
    title: 'Kinds of values',
    page: 'kinds.md',
    about: 'How a value is checked, shown, filtered and read from a file.',
    sources: ['kinds/', 'model/define-kind', 'model/dialect/'],
  },
  {
    title: 'Serializers',
    page: 'serializers.md',
    about: 'The fields that a client reads and writes, and their rules.',
    sources: ['serializer/'],
  },
  {
    title: 'Relation fields',
    page: 'relation-fields.md',
    about: 'Fields of a serializer for related records.',
    sources: ['serializer/relations/'],
  },
  {
    title: 'ViewSets',
    page: 'viewsets.md',
    about: 'The classes of resources, their settings, and the view of a request.',
    sources: ['viewset/', 'viewset/viewsets', 'viewset/types', 'viewset/view', 'viewset/resource/', 'viewset/compose'],
  },
  {
    title: 'Mixins',
    page: 'mixins.md',
    about: 'The actions of resources, their settings and methods, and mixins of your own.',
    sources: ['viewset/mixin', 'viewset/mixins/', 'viewset/seams', 'viewset/bulk/', 'viewset/write/'],
  },
  {
    title: 'Actions and answers',
    page: 'actions.md',
    about: 'Custom actions, replies, downloads and events.',
    sources: ['viewset/actions', 'viewset/answer/', 'viewset/description/', 'viewset/endpoints/', 'core/envelope'],
  },
  {
    title: 'Access',
    page: 'access.md',
    about: 'Permissions and the current user.',
    sources: ['viewset/permissions', 'core/context'],
  },
  {
    title: 'Lists',
    page: 'lists.md',
    about: 'Filters, search, ordering, pagination and counts.',
    sources: ['query/'],
  },
  {
    title: 'Import',
    page: 'import.md',
    about: 'The configuration of an import, its hooks, options and results.',
    sources: ['importing/', 'viewset/files/', 'model/row-error', 'tabular/read/'],
  },
  {
    title: 'Export',
    page: 'export.md',
    about: 'The columns, formats and options of an export.',
    sources: ['exporting/', 'tabular/'],
  },
  {
    title: 'Jobs',
    page: 'jobs.md',
    about: 'Imports and exports in the background.',
    sources: ['jobs/', 'viewset/jobs/', 'model/job-'],
  },
  {
    title: 'Records',
    page: 'records.md',
    about: 'Records in your own code, and signals when they change.',
    sources: ['records/', 'model/signals'],
  },
  {
    title: 'Transactions',
    page: 'transactions.md',
    about: 'Databases, transactions and query sets.',
    sources: ['store/'],
  },
  {
    title: 'Errors',
    page: 'errors.md',
    about: 'What a handler throws to answer with a status and a message.',
    sources: ['core/errors'],
  },
  {
    title: 'Requests and names',
    page: 'requests.md',
    about: 'The request, and the names of fields in JSON.',
    sources: ['core/'],
  },
  {
    title: 'Settings',
    page: 'settings.md',
    about: 'The settings of a whole API, of mixins and of the command line.',
    sources: ['core/settings', 'core/setting-rules', 'cli/'],
  },
  {
    title: 'Descriptions',
    page: 'descriptions.md',
    about: 'OpenAPI, the reference page and the schema for a user.',
    sources: ['describe/'],
  },
]

/** Where the index has an entry, and what it says about it. */
interface About {
  readonly section: string
  readonly about: string
}

const ENTRIES: Readonly<Record<string, About>> = {
  'viewset/pg': { section: 'Databases', about: 'A PostgreSQL database and the columns of its tables.' },
  'viewset/sqlite': { section: 'Databases', about: 'A SQLite database and the columns of its tables.' },
  'viewset/dialect': { section: 'Databases', about: 'A driver and a dialect for another database.' },
  'viewset/fast-drizzle': { section: 'Databases', about: 'A quicker start of applications with Drizzle.' },
  'viewset/fastify': { section: 'Servers', about: 'An API as a plugin of Fastify.' },
  'viewset/node': { section: 'Servers', about: 'An API in `node:http`, Express, Nest and Koa.' },
  'viewset/fetch': { section: 'Servers', about: 'An API in Hono, Next, Bun, Deno and others with `Request`.' },
  'viewset/http': { section: 'Servers', about: 'An API without a server, to write a server on.' },
  'viewset/auth': { section: 'Access', about: 'Users by JWT and by API key.' },
  'viewset/files': { section: 'Files and jobs', about: 'CSV, XLSX and PDF without a resource.' },
  'viewset/jobs': { section: 'Files and jobs', about: 'Where jobs run and where their files are.' },
  'viewset/client': { section: 'Client, tests and traces', about: 'The typed client.' },
  'viewset/testing': { section: 'Client, tests and traces', about: 'An API and a database for a test.' },
  'viewset/observability': { section: 'Client, tests and traces', about: 'Channels of requests and statements.' },
}

/** The sections of the index after those of the root entry, in their order. */
export const SECTIONS = ['Databases', 'Servers', 'Access', 'Files and jobs', 'Client, tests and traces'] as const

export function aboutEntry(specifier: string): About {
  const about = ENTRIES[specifier]
  if (!about) throw new Error(`scripts/reference/groups.ts has no sentence about ${specifier}.`)
  return about
}

/** The group of an export by its file of declarations, such as `model/kit.d.ts`. */
export function groupOf(file: string): Group {
  const length = ({ sources }: Group) => {
    return Math.max(0, ...sources.filter(source => file.startsWith(source)).map(source => source.length))
  }
  const [best] = GROUPS.toSorted((a, b) => length(b) - length(a))
  if (!best || length(best) === 0) throw new Error(`scripts/reference/groups.ts has no group for ${file}.`)
  return best
}
