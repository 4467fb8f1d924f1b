export const HELP = `Usage: viewset generate-import-template <ResourceName> [options]
       viewset import <file> --resource <ResourceName> --append|--replace [options]
       viewset export --resource <ResourceName> [options]
       viewset worker [options]
       viewset openapi [options]
       viewset add resource <table> [options]
       viewset search-index [options]
       viewset index-advice [options]
       viewset inspect --url <database> [options]

generate-import-template
  Writes a file for people to fill in and to import: a sheet for each model, its columns, and an example row.

  --format <csv|xlsx>   default xlsx
  --output <path>       default <table>_template.<format> in this folder; - for standard output

import
  Writes the rows of a file (- for standard input) to the database of viewset.config.ts. Ends with 0 if all are
  stored, 1 if rows have failed, 2 if nothing could be done, and 130 if it was stopped.

  --resource <name>     whose import it is
  --append | --replace  adds to what is stored, or replaces it
  --dry-run             stores nothing, and reports what an import would do
  --diff                reports old and new values of a dry run, with --json
  --all-or-nothing      stores nothing if a row fails
  --fail-on-warnings    lets rows with warnings fail
  --on-conflict <which> what counts for a cell of an edited file that has changed since: fail, yours or theirs
  --delete-marked       delete the records of rows that are marked for deletion in an edited file
  --mapping <path>      a JSON file: the field for each header
  --header-row <number> the row with the headers, or '{"Prices": 4}' by sheet; default: it is found
  --values <path>       a JSON file: other values for cells, by header and text
  --locale <tag>        the language of numbers and dates in texts, such as de-DE
  --encoding <name>     the encoding of a CSV file, such as windows-1251; default: it is found
  --failed-rows <path>  default <file>_failed beside the file, if rows fail
  --user <id>           the user that creates and updates the records; default no user
  --json                prints the result as JSON

export
  Writes the records of a resource to a file.

  --resource <name>     whose records they are
  --format <format>     csv, xlsx or pdf; default csv, or what the output's name ends with
  --output <path>       default <table>_<time>.<format> in this folder; - for standard output
  --fields <names>      the columns, with commas between them; default all
  --query <text>        filters and ordering as in an address: 'country__code=NO&ordering=name'
  --for-editing         a workbook to change and to import again
  --user <id>           the user whose records are written; default no user

worker
  Runs imports and exports in the background, beside the servers of the API, until it is stopped.

openapi
  Writes the OpenAPI 3.1 document of the API.

  --output <path>       default standard output
  --server <address>    where the API is; default its prefix

The commands below need the package viewset-tools: npm install --save-dev viewset-tools

add resource
  Writes a serializer and a viewset for a table of the project.

  --models <path>       the module that exports the tables; default "models" of viewset.config.ts, else src/schema.ts
  --out <folder>        default resources beside that module

search-index
  Writes what migrations lack of the indexes for search that tables declare, as SQL: the extension of PostgreSQL, which
  comes before the tables, and SQLite's indexes, which come behind them.

  --models <path>       the module that exports the tables; default "models" of viewset.config.ts, else src/schema.ts

index-advice
  Reports which indexes the requests of the resources would use and the database of viewset.config.ts lacks. The database is
  only read.

  --rows <number>       leaves tables with fewer rows out; default 10000
  --json                prints the advice as JSON
  --sql                 prints the statements that make the indexes; they are not run

inspect
  Writes tables, serializers and viewsets for an existing database. The database is only read.

  --url <database>      postgres://... or the path of an SQLite file; default the variable DATABASE_URL
  --schema <names>      PostgreSQL's schemas, with commas between them; default public
  --out <folder>        default src

  --force               writes over files that exist
  --config <path>       default viewset.config.ts in this folder or above it
  --help                prints this
  --version             prints the version of viewset
`

/** The usage, text and options of one command. */
export function helpOf(command: string): string {
  const [commands = '', common = ''] = HELP.split(/\n(?= {2}--force )/)
  const usage = new RegExp(`^(?:Usage:)? *(viewset ${command} .*)$`, 'm').exec(commands)?.[1]
  const [section = ''] = new RegExp(`^${command}(?: .*)?\\n(?:(?: {2}.*)?\\n)*`, 'm').exec(commands) ?? []
  return `Usage: ${usage}\n\n${section.trimEnd()}\n\n${common}`
}
