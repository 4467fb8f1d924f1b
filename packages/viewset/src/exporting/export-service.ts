import type { Readable } from 'node:stream'
import { BoundedCache } from '../core/bounded-cache.ts'
import { timestampNow } from '../core/clock.ts'
import { fileName } from '../core/content-disposition.ts'
import { currentContext, keepContext } from '../core/context.ts'
import { message } from '../core/messages/message.ts'
import { localMoment } from '../kinds/timestamp.ts'
import type { Model } from '../model/kit.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import { readBatches } from '../serializer/output/items.ts'
import { relatedOf } from '../serializer/output/representation.ts'
import { QuerySet } from '../store/queryset.ts'
import { TabularError } from '../tabular/errors.ts'
import type { CellRow, PlainCell } from '../tabular/table.ts'
import type { TabularWriter, WriteOptions } from '../tabular/writer.ts'
import type { XlsxWriter } from '../tabular/xlsx/write.ts'
import { choose } from './choose.ts'
import { type CsvForm, checkCsvForm, csvWriteOptions } from './csv-form.ts'
import {
  type ExportColumn,
  type ExportColumns,
  type ExportFieldConfig,
  exportColumns,
  type ListSeparators,
  labelOf,
  valueColumn,
} from './export-columns.ts'
import { clientRowReader, type ExportRow } from './export-request.ts'
import {
  available,
  type ExportFormat,
  type ExportOptions,
  type FormatSettings,
  type Writers,
  writersOf,
} from './formats.ts'
import { relatedLists, relatedSheets } from './related-sheets.ts'
import { type RowReader, rowReader } from './row-reader.ts'

/** Rows of one read and of one step of the writer. */
const BATCH = 1_000

/** At most so many column selections have a cached statement. */
const SHAPES = 200

/** Settings of an export, of a resource or of an `ExportService`. */
export interface ExportSettings<M extends Model = Model, S = unknown> extends FormatSettings {
  /**
   * The columns of a file and their headers, by field or path in code's names. Default: all readable fields of the
   * serializer, labelled by their names.
   */
  readonly exportFieldConfig?: ExportFieldConfig<M, S> | undefined
}

/** Rows from outside of the database. */
export type ExportRows = Iterable<ExportRow> | AsyncIterable<ExportRow>

/** A file that is made while its stream is read. */
export interface ExportFile {
  readonly filename: string
  readonly contentType: string
  readonly stream: Readable
}

/**
 * Makes files of a serializer's records, with or without HTTP, from a queryset or rows to a stream of bytes.
 *
 * @throws ConfigError for an unknown field or format.
 * @example
 * const service = new ExportService(ArticleSerializer, {
 *   exportFieldConfig: { title: 'Title', author__name: 'Author' },
 * })
 * const file = service.export(QuerySet.of(database, articles), { fileType: 'xlsx', onProgress: rows => bar.update(rows) })
 * await pipeline(file.stream, createWriteStream(file.filename))
 */
export class ExportService<S extends ModelSerializer> {
  readonly #subject: string
  readonly #serializer: ModelSerializer
  readonly #columns: ExportColumns
  readonly #writers: Writers
  readonly #csvForm: CsvForm
  readonly #readers = new BoundedCache<string, RowReader>(SHAPES)

  /**
   * @param subject what a `ConfigError` names
   * @param separators of lists, by column, where an import links them
   */
  constructor(
    serializer: S,
    settings: ExportSettings<S['model'], S> = {},
    subject = `export of "${serializer.info.name}"`,
    separators?: ListSeparators,
  ) {
    this.#subject = subject
    this.#serializer = serializer
    this.#columns = exportColumns(subject, serializer, settings.exportFieldConfig, separators)
    this.#writers = writersOf(subject, settings)
    this.#csvForm = { delimiter: settings.csvDelimiter, locale: settings.csvLocale }
    checkCsvForm(subject, this.#csvForm)
  }

  /** @internal */
  get columns(): ExportColumns {
    return this.#columns
  }

  /** The offered formats with their media types. */
  get formats(): ReadonlyMap<ExportFormat, string> {
    return new Map(available(this.#writers).map(format => [format, this.#writers.get(format)?.contentType ?? '']))
  }

  /**
   * Begins a file of `source`: a queryset in its order, or objects by names in JSON.
   *
   * @throws ValidationError for an unknown column or format. Later problems are errors of the stream.
   */
  export(source: QuerySet | ExportRows, options: ExportOptions): ExportFile {
    const { writer, columns } = choose(this.#writers, this.#columns, options)
    const { name } = this.#serializer.info
    const {
      filename = `${name}_${timeStamp()}`,
      title = labelOf(name),
      filters,
      onProgress,
      onWarning,
      signal,
    } = options
    const maxRows = options.maxRows ?? (writer.format === 'pdf' ? pdfMaxRows() : undefined)
    const rows = source instanceof QuerySet ? this.#stored(source, columns, writer, maxRows) : given(source, columns)
    // Functions and scopes see the user of the export, also if another context reads the stream.
    const written = keepContext(counted(rows, onProgress))
    const writeOptions: WriteOptions = {
      title,
      ...(filters && { filters }),
      ...this.#csvOptions(columns, options),
      ...(writer.format === 'xlsx' && localTimes(currentContext().settings.COMMON.TIME_ZONE)),
      ...(maxRows !== undefined && { maxRows }),
      ...(signal && { signal }),
      ...(onWarning && { onWarning }),
    }
    const lists = options.includes ? relatedLists(this.#subject, columns) : []
    const stream =
      lists.length > 0 && isWorkbook(writer)
        ? writer.writeSheets(relatedSheets(title, columns, written, lists), writeOptions)
        : writer.write(columns, written, writeOptions)
    return { filename: fileName(filename, writer.extension), contentType: writer.contentType, stream }
  }

  #csvOptions(columns: readonly ExportColumn[], options: ExportOptions): ReturnType<typeof csvWriteOptions> {
    const delimiter = options.delimiter ?? this.#csvForm.delimiter
    const locale = options.locale ?? this.#csvForm.locale
    return csvWriteOptions(columns, { delimiter, locale }, currentContext().settings.COMMON.TIME_ZONE)
  }

  /** @throws ValidationError as {@link ExportService.export} does. Makes no file. */
  check(options: ExportOptions): void {
    choose(this.#writers, this.#columns, options)
  }

  /** @internal The cells of records in these columns, by the text of their key. */
  async cellsOf(
    queryset: QuerySet,
    columns: readonly ExportColumn[],
    keys: readonly unknown[],
  ): Promise<ReadonlyMap<string, readonly PlainCell[]>> {
    const reader = this.#reader([valueColumn(this.#serializer.info.primaryKey), ...columns])
    const rows = await queryset.withKeys(reader.projection, keys)
    const related = await relatedOf(reader, queryset.database, rows)
    return new Map(
      rows.map(row => {
        const [key, ...cells] = reader.read(row, related)
        return [String(key), cells]
      }),
    )
  }

  async *#stored(
    queryset: QuerySet,
    columns: readonly ExportColumn[],
    { format }: TabularWriter,
    maxRows: number | undefined,
  ): RowStream {
    if (maxRows !== undefined) {
      // A count is cheap beside the rows, and a client learns early that a file is rejected.
      const count = await queryset.count()
      if (count > maxRows) throw tooManyRows(format, maxRows, count)
    }
    const reader = this.#reader(columns)
    yield* readBatches(reader, queryset, BATCH, (rows, related) => rows.map(row => reader.read(row, related)))
  }

  #reader(columns: readonly ExportColumn[]): RowReader {
    return this.#readers.get(columns.map(({ wire }) => wire).join(), () => rowReader(this.#serializer.info, columns))
  }
}

/** Cells of a workbook have no time zone. An import reads them in that of the API. */
function localTimes(timeZone: string): Pick<WriteOptions, 'localTime'> {
  return timeZone === 'UTC' ? {} : { localTime: timestamp => localMoment(timestamp, timeZone) }
}

function isWorkbook(writer: TabularWriter): writer is XlsxWriter {
  return writer.format === 'xlsx'
}

type RowStream = AsyncGenerator<readonly CellRow[]>

async function* given(source: ExportRows, columns: readonly ExportColumn[]): RowStream {
  const read = clientRowReader(columns)
  let batch: CellRow[] = []
  for await (const row of source) {
    batch.push(read(row))
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function* counted(rows: RowStream, onProgress: ExportOptions['onProgress']): RowStream {
  let count = 0
  for await (const batch of rows) {
    yield batch
    count += batch.length
    onProgress?.(count)
  }
}

function pdfMaxRows(): number {
  return currentContext().settings.COMMON.EXPORT_PDF_MAX_ROWS
}

function tooManyRows(format: ExportFormat, most: number, count: number): TabularError {
  const text =
    format === 'pdf'
      ? message('too_many_rows.pdf', { max: most, rows: count })
      : message('too_many_rows', { format, max: most, rows: count })
  return new TabularError('too_many_rows', text)
}

/** `20260115_103000`, in UTC. */
export function timeStamp(): string {
  return timestampNow().slice(0, 19).replace(/[-:]/g, '').replace('T', '_')
}
