import * as z from 'zod'
import { ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import type { ApiSettings } from '../core/settings.ts'
import { shorten } from '../core/text.ts'
import { BLANK, checkError, typeError } from '../kinds/schema-parts.ts'
import { validateInput } from '../serializer/validate.ts'
import { ALIGNMENTS, type Cell, type CellRow } from '../tabular/table.ts'
import { clientCellOf, exportCell, listCell } from './cells.ts'
import { MOST_NAMES } from './choose.ts'
import type { ColumnSource, ExportColumn } from './export-columns.ts'
import type { ExportOptions } from './formats.ts'

export interface ExportRequest {
  readonly options: ExportOptions
  readonly data: readonly ExportRow[]
  /** Whether the file is to be edited and imported again. */
  readonly forEditing: boolean
  /** A job stores the body without these rows. */
  readonly sent: Readonly<Record<string, unknown>>
}

const LONGEST_HEADER = 255
const LONGEST_NAME = 200

const COLUMN_SETTINGS = ['width', 'header', 'align']

let made: ReturnType<typeof makeBody> | undefined

/** Loading Zod takes time, so it waits for the first request. */
function body() {
  made ??= makeBody()
  return made
}

function makeBody() {
  const text = z.string()
  const object = expected(message('not_an_object.here'))
  const columnSettings = z.strictObject(
    {
      width: z.number().min(1).max(255).nullish(),
      header: text.max(LONGEST_HEADER).nullish(),
      align: text.pipe(z.enum(ALIGNMENTS)).nullish(),
    },
    {
      error: issue => (issue.code === 'unrecognized_keys' ? String(unknownSettings(issue.keys)) : object.error(issue)),
    },
  )
  /** A list, or text that a person types: `title, author`. */
  const fieldNames = z.preprocess(
    value => (typeof value === 'string' ? [value] : value),
    z.array(text, expected(message('not_a_list.fields'))).nullish(),
  )
  return z.object(
    {
      file_type: text,
      includes: fieldNames,
      column_config: z.record(z.string(), columnSettings, object).nullish(),
      data: z.array(z.record(z.string(), z.unknown(), object), expected(message('not_a_list.rows'))).nullish(),
      filename: text.trim().min(1, checkError(BLANK)).max(LONGEST_NAME).nullish(),
      title: text.trim().max(LONGEST_NAME).nullish(),
      for_editing: z.boolean().nullish(),
      delimiter: text.nullish(),
      locale: text.nullish(),
    },
    object,
  )
}

function expected(problem: Message) {
  const { error } = typeError(problem)
  return { error: (issue: z.core.$ZodRawIssue) => (issue.code === 'invalid_type' ? error(issue) : undefined) }
}

function unknownSettings(names: readonly string[]): Message {
  const shown = names.slice(0, MOST_NAMES).map(shorten)
  return message('unknown_setting', { names: shown, known: COLUMN_SETTINGS.join(', ') })
}

/** The service checks fields and formats. @throws ValidationError */
export function readExportRequest(input: unknown, { COMMON }: ApiSettings): ExportRequest {
  const { data, ...sent } = validateInput(body(), input)
  const { file_type, includes, column_config, filename, title, for_editing, delimiter, locale } = sent
  const most = COMMON.EXPORT_DATA_MAX_ROWS
  if (data && data.length > most) {
    throw new ValidationError({ data: [message('max_length.rows', { rows: data.length, max: most })] })
  }
  return {
    options: {
      // The service rejects an unknown format together with unknown fields.
      fileType: file_type as ExportOptions['fileType'],
      ...(includes && { includes }),
      ...(column_config && { columnConfig: column_config }),
      ...(filename && { filename }),
      ...(title && { title }),
      // The service rejects unknown ones.
      delimiter: delimiter as ExportOptions['delimiter'],
      locale,
    },
    data: data ?? [],
    forEditing: for_editing ?? false,
    sent,
  }
}

/** A row of the client, by names in JSON. */
export type ExportRow = Readonly<Record<string, unknown>>

/** A column is a key of the object or a nested path. */
export function clientRowReader(columns: readonly ExportColumn[]): (row: ExportRow) => CellRow {
  const paths = columns.map(({ wire, source }) => ({ wire, path: wire.split('__'), asCell: clientCell(source) }))
  return row =>
    paths.map(({ wire, path, asCell }): Cell => {
      if (Object.hasOwn(row, wire)) return asCell(row[wire])
      return asCell(path.reduce<unknown>(valueIn, row))
    })
}

/** A client's list has the form that it has in the column of the stored rows. */
function clientCell(source: ColumnSource): (value: unknown) => Cell {
  if (source.from === 'toMany' && source.field.read === 'data') return exportCell
  if (source.from === 'toMany') return value => listCell(value, { separator: source.separator })
  return source.from === 'column' ? clientCellOf(source.column) : listCell
}

function valueIn(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
