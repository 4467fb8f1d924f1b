import type { Readable } from 'node:stream'
import { currentContext, runInContext } from '../core/context.ts'
import { type ApiSettings, DEFAULT_SETTINGS, resolveSettings } from '../core/settings.ts'
import { type ReadContext, readContextOf } from '../kinds/kind.ts'
import type { Database } from '../store/connection/database.ts'
import { currentSession, isInTransaction } from '../store/connection/session.ts'
import { requireSession } from '../store/connection/transaction.ts'
import { toApiError } from '../store/faults.ts'
import { QuerySet } from '../store/queryset.ts'
import { MOST_TOP_ROWS, type ReadFile } from '../tabular/read/file.ts'
import { DEFAULT_LIMITS, type ReadLimits } from '../tabular/read/limits.ts'
import type { ImportFileConfig } from './config.ts'
import { refuseWithoutBase } from './edit/base-sheet.ts'
import { AS_TIME_CELLS } from './edit/edit-cells.ts'
import { EditFiles } from './edit/edit-files.ts'
import { editPlanOf } from './edit/edit-plan.ts'
import { errorsHeader, type FailedRowsOptions, type WrittenFile } from './failed/failed-rows.ts'
import { writeFailedRows, writeWorkbook } from './failed/write-failed-rows.ts'
import { type FoundRows, resultOf } from './found-rows.ts'
import { inTurn } from './in-turn.ts'
import type {
  EditExportOptions,
  ImportOptions,
  ImportServiceOptions,
  PreviewOptions,
  ReadingOptions,
} from './options.ts'
import { buildPlan } from './plan/build-plan.ts'
import { ConfigCheck } from './plan/config-check.ts'
import { type HeaderAliases, headerAliases, withLabels } from './plan/headers.ts'
import type { ImportPlan, ModelPlan } from './plan/plan.ts'
import { mainModelOf, withSerializer } from './plan/with-serializer.ts'
import { needsHidden, withoutHidden } from './plan/without-hidden.ts'
import type { ImportPreview } from './preview/import-preview.ts'
import { previewFile } from './preview/preview-file.ts'
import { PREVIEW_ROWS } from './preview/preview-rows.ts'
import { refuseSensitive, withValues } from './read/cell-values.ts'
import { hooksOf } from './read/fixed-columns.ts'
import { type ImportSource, withFile } from './read/import-source.ts'
import { assignTransforms, type ModelReader, modelReaders, readersIn } from './read/model-reader.ts'
import { type OpenedFile, type OpenedPart, type OpenedWith, openFile } from './read/open-file.ts'
import { TransformFaults, unreadableFile } from './read/read-faults.ts'
import { RowSource } from './read/row-source.ts'
import { type Layout, layoutOf } from './read/sheet-layout.ts'
import type { ImportResult } from './result.ts'
import { type FileHeaders, fileOfHeaders, sheetsOfChoice } from './saved/check-choice.ts'
import { headerFingerprint } from './saved/header-fingerprint.ts'
import { visibleChoice } from './saved/visible-choice.ts'
import { examplesOf } from './template/examples.ts'
import { type Choices, type Examples, exampleSource, relatedChoices, type TemplateExamples } from './template/source.ts'
import { progressOf, runImport } from './write/run-import.ts'
import { lookupsIn } from './write/write-context.ts'

/**
 * Imports files into models, with or without HTTP. Every failed row is reported and not stored; all others are stored.
 * Records are written in sets, and `preSave` is the only signal.
 *
 * @throws ConfigError with the wrong key
 * @example
 * const service = new ImportService(
 *   {
 *     fileFormat: 'csv',
 *     order: ['countries'],
 *     models: { countries: importModel({ model: countries, fields: ['code', 'name'], uniqueFields: ['code'] }) },
 *   },
 *   { database },
 * )
 * const { created, failed, errors } = await service.import('countries.csv', { append: true })
 */
export class ImportService<const F extends string = string> {
  /** @internal */
  readonly plan: ImportPlan
  /** @internal Whether a user with these hidden fields cannot import at all. */
  readonly needsHidden: boolean
  readonly #options: ImportServiceOptions<F>
  readonly #mainModel: ModelPlan
  readonly #readers: readonly ModelReader[]
  readonly #aliases: HeaderAliases
  readonly #limits: ReadLimits
  readonly #edited: EditFiles
  /** Whether some of its columns are hidden from the user. */
  readonly #hidesFields: boolean

  constructor(config: ImportFileConfig<string, F>, options: ImportServiceOptions<F> = {}) {
    const check = new ConfigCheck(options.subject ?? 'ImportService')
    this.#options = options
    const planned = buildPlan(check, config, {
      fixed: options.hasFixedValues ? options.model : undefined,
      serializer: options.serializer,
      isHidden: options.isHidden,
    })
    const { isHidden, serializer, headers = {} } = options
    const ruled = withSerializer(planned, serializer)
    const whole = withLabels(ruled, mainModelOf(check, ruled, options), headers)
    const transforms = assignTransforms(check, whole.models, options.transforms ?? {})
    const main = mainModelOf(check, whole, options)
    const hiding = isHidden && { isHidden, serializer }
    this.needsHidden = hiding !== undefined && needsHidden(main, hiding)
    this.plan = withoutHidden(whole, main, hiding)
    this.#hidesFields = columnsIn(this.plan) < columnsIn(whole)
    this.#mainModel = mainModelOf(check, this.plan, options)
    this.#readers = modelReaders(check, this.plan, transforms, this.#mainModel, serializer)
    this.#aliases = headerAliases(this.#mainModel, headers)
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#edited = new EditFiles(this.plan, this.#mainModel, this.#aliases, () => {
      const reader = this.#readers.find(({ plan }) => plan === this.#mainModel)
      const { shown = [] } = reader?.sight ?? {}
      return editPlanOf({ check, plan: this.plan, mainModel: this.#mainModel, transforms, serializer, shown })
    })
  }

  /**
   * Imports a file.
   *
   * @throws ValidationError for a file that is damaged, of another format or without a required column.
   * @throws ValidationError for a replace with an empty file.
   * @throws ApiError 413 for a file that is too large.
   * @throws Conflict if a foreign key prevents a replace from deleting a record.
   * @throws ServiceUnavailable if the database is unavailable. With `chunkSize`, the message reports the stored rows.
   */
  async import(source: ImportSource, options: ImportOptions): Promise<ImportResult> {
    const database = this.#options.database ?? requireSession().database
    const isInside = isInTransaction(database)
    const settings = this.#settings(options)
    const { signal } = options
    const importPath = (path: string) =>
      inTurn('import', settings, signal, () => this.#importFile(database, path, settings, options))
    const run = () => withFile(source, this.#limits.maxBytes, signal, importPath)
    try {
      return await runInContext({ settings }, () => (isInside ? run() : database.use(run)))
    } catch (error) {
      throw toApiError(database.dialect, error) ?? unreadableFile(error) ?? error
    }
  }

  /**
   * Opens a file and finds its columns without importing.
   *
   * @throws as {@link ImportService.import} for a file that cannot be imported at all
   */
  async check(
    path: string,
    options: ReadingOptions & Pick<ImportOptions, 'signal' | 'deleteMarked' | 'hooks'> = {},
  ): Promise<void> {
    const look = () =>
      this.#inFile(path, options, async file => {
        const { base } = file
        if (base) return this.#edited.check(file, base, options, readContextOf(this.#settings({})))
        refuseWithoutBase(file)
        this.#layoutOf(withValues(file, options.values), options)
      })
    try {
      await inTurn('preview', this.#settings({}), options.signal, look)
    } catch (error) {
      throw unreadableFile(error) ?? error
    }
  }

  /**
   * Writes a file of the failed rows, to be corrected and sent again: the rows of the upload after a first
   * column `Errors`. Memory does not grow with the number of rows.
   *
   * @param path of the upload
   * @param target path of the new file
   * @throws errors of reading the upload and writing the file, which may then be incomplete
   * @example
   * const all: ImportRowError[] = []
   * await service.import(path, { append: true, onRowErrors: errors => void all.push(...errors) })
   * await service.writeFailedRows(path, 'cities_failed.csv', {
   *   errors: models => all.filter(({ model }) => models.includes(model)),
   * })
   */
  writeFailedRows(path: string, target: string, options: FailedRowsOptions): Promise<WrittenFile> {
    const { signal } = options
    const nameErrors = (read: readonly string[]) => errorsHeader(this.plan, this.#aliases, read)
    const settings = this.#settings(options)
    const write = async (file: OpenedFile) => {
      if (!file.base) return writeFailedRows(file, this.#layoutOf(file, options), target, { ...options, nameErrors })
      const edited = await this.#edited.read(file, file.base)
      const database = this.#options.database ?? requireSession().database
      const { queryset = new QuerySet(database, this.#mainModel.model) } = options
      const sheets = this.#edited.failedSheets({
        edited,
        errors: options.errors,
        errorsColumn: nameErrors(edited.layout.ignoredColumns),
        kept: options.kept ?? 'failed',
        onConflict: options.onConflict ?? 'fail',
        readOnly: options.readOnly,
        queryset,
        context: readContextOf(settings),
      })
      return writeWorkbook(sheets, target, { ...AS_TIME_CELLS, ...(signal && { signal }) })
    }
    return inTurn('import', settings, signal, () => this.#inFile(path, options, write))
  }

  /**
   * Previews a file without importing it: the field of each column or a suggestion, missing fields, and the values of
   * the first rows. Reads only the beginning of a large file.
   *
   * @throws ValidationError for a file that is damaged or of another format, and for a wrong mapping. ApiError 413 for
   *   a file that is too large. Missing columns and wrong cells are no errors: the preview shows them.
   * @example
   * const { sheets } = await service.preview('cities.csv')
   * const mapping = Object.fromEntries(sheets[0].headers.map(({ header, field }) => [header, field]))
   */
  async preview(source: ImportSource, options: PreviewOptions = {}): Promise<ImportPreview> {
    const settings = this.#settings(options)
    const { signal } = options
    const look = (path: string) => inTurn('preview', settings, signal, () => this.#preview(path, settings, options))
    try {
      return await runInContext({ settings }, () => withFile(source, this.#limits.maxBytes, signal, look))
    } catch (error) {
      throw unreadableFile(error) ?? error
    }
  }

  async #preview(path: string, settings: ApiSettings, options: PreviewOptions): Promise<ImportPreview> {
    const { mapping, headerRow, values, locale, hooks = {} } = options
    const { prepareRow, totalsRows, models } = this.plan
    const { database = currentSession()?.database } = this.#options
    const { queryset = database && new QuerySet(database, this.#mainModel.model) } = options
    const context = {
      ...this.#choiceContext,
      configuredRow: this.plan.headerRow,
      readers: readersIn(locale, this.#readers),
      mapping,
      headerRow,
      values,
      hooks: hooksOf(this.plan, this.#mainModel, hooks),
      // A later row may create a record of the file's own models.
      lookups: queryset && lookupsIn(queryset, this.#mainModel, models),
      reading: {
        context: readContextOf(settings),
        faults: new TransformFaults(),
        prepareRow,
        totalsRows,
        view: hooks.view,
        failOnWarnings: false,
      },
    }
    const look = async () => {
      let isEdited = false
      const first = async (file: OpenedFile) => {
        isEdited = file.base !== undefined
        // An edited file has the columns of the API.
        const findMappings = options.findMappings && isEdited ? async () => [] : options.findMappings
        return previewFile(file, { ...context, findMappings })
      }
      const preview = await this.#inFile(path, options, first, PREVIEW_ROWS + MOST_TOP_ROWS)
      if (!isEdited) return preview
      // The whole file has to be read to count its marked rows.
      return this.#inFile(path, options, async file =>
        file.base
          ? this.#edited.preview(file, file.base, preview, { locale, context: context.reading.context })
          : preview,
      )
    }
    return database && currentSession()?.database !== database ? database.use(look) : look()
  }

  /** @internal The fingerprint of headers. @throws ValidationError for a choice that does not fit them */
  fingerprintFor(headers: FileHeaders, reading: ReadingOptions): string {
    const chosen = sheetsOfChoice(fileOfHeaders(headers), reading, this.#choiceContext)
    return headerFingerprint(chosen.map(({ sheet }) => sheet))
  }

  /** @internal A saved choice without fields that are gone or hidden. */
  visibleChoice(reading: ReadingOptions): ReadingOptions {
    return visibleChoice(reading, this.#choiceContext)
  }

  get #choiceContext() {
    return { readers: this.#readers, aliases: this.#aliases, hidesFields: this.#hidesFields }
  }

  /**
   * Writes a workbook of records to be edited and imported again. Such an import writes the edited cells only, and
   * reports cells whose stored values have changed since. Rows without a key become new records.
   *
   * @throws ValidationError for more records than the setting `EDIT_MAX_ROWS`, as an error of the stream
   * @example
   * const file = service.exportForEditing(QuerySet.of(database, countries))
   * await pipeline(file, createWriteStream('countries.xlsx'))
   */
  exportForEditing(queryset: QuerySet, options: EditExportOptions = {}): Readable {
    return this.#edited.export(queryset, { ...options, settings: this.#settings(options) })
  }

  /** @internal Whether its files can be edited. */
  get isEditable(): boolean {
    return this.#edited.isEditable
  }

  /** @internal The examples of a template: the chosen ones, and others that fit them and, with a queryset, stored records. */
  examples(chosen: Examples, queryset?: QuerySet): Promise<TemplateExamples> {
    return examplesOf(this.#readers, chosen, queryset && exampleSource(queryset, this.#mainModel))
  }

  /** @internal The values that a template offers for the relations of its columns. */
  choices({ database }: QuerySet): Promise<Choices> {
    return relatedChoices(this.#readers, database)
  }

  /** The settings of the request, or else those of the service. */
  #settings({ settings }: Pick<ImportOptions, 'settings'>): ApiSettings {
    if (settings) return resolveSettings(settings)
    const { settings: current } = currentContext()
    return current === DEFAULT_SETTINGS ? resolveSettings(this.#options.settings) : current
  }

  async #importFile(
    database: Database,
    path: string,
    settings: ApiSettings,
    options: ImportOptions,
  ): Promise<ImportResult> {
    const { signal, checkpoint, recorder = checkpoint, onProgress = this.#options.onProgress } = options
    const found = await this.#find(path, options, readContextOf(settings))
    const { plan, mainModel, layout, rows, open, edits } = found
    try {
      const outcome = await runImport({
        database,
        plan,
        mainModel,
        queryset: options.queryset ?? new QuerySet(database, this.#mainModel.model),
        hooks: options.hooks ?? {},
        source: rows,
        append: options.append,
        dryRun: options.dryRun ?? false,
        diff: options.diff ?? false,
        failOnWarnings: options.failOnWarnings ?? false,
        allOrNothing: this.plan.allOrNothing || (options.allOrNothing ?? false),
        signal,
        checkpoint,
        recorder,
        context: readContextOf(settings),
        faults: new TransformFaults(),
        progress: await progressOf(onProgress, checkpoint, layout, open),
        end: async outcome => recorder?.end(resultOf(found, outcome, options)),
        onRowErrors: options.onRowErrors,
        edits,
      })
      return resultOf(found, outcome, options)
    } finally {
      await rows.close()
    }
  }

  async #find(path: string, options: ImportOptions, context: ReadContext): Promise<FoundRows> {
    const open = () => this.#open(path, options, { values: options.values })
    const file = await open()
    try {
      const { base: sheet } = file
      if (sheet) return await this.#edited.find(file, sheet, open, options, context)
      refuseWithoutBase(file)
      const layout = this.#layoutOf(file, options)
      const rows = new RowSource(file, layout.sheets, open)
      return { plan: this.plan, mainModel: this.#mainModel, layout, rows, open, csv: file.csv }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  #open(path: string, options: OpenedWith, reading: OpenedPart): Promise<OpenedFile> {
    const { formats, headerRow: configuredRow, encoding: usualEncoding } = this.plan
    const found = { readers: this.#readers, aliases: this.#aliases, configuredRow }
    const opening = { formats, limits: this.#limits, usualEncoding, ...found }
    return openFile(path, opening, options, reading)
  }

  async #inFile<T>(
    path: string,
    options: OpenedWith,
    fn: (file: OpenedFile) => Promise<T>,
    firstRows?: number,
  ): Promise<T> {
    const file = await this.#open(path, options, { firstRows })
    try {
      return await fn(file)
    } finally {
      await file.close()
    }
  }

  #layoutOf(file: ReadFile, { mapping, headerRow, values = {}, locale }: ReadingOptions): Layout {
    const mayFeed = this.plan.prepareRow !== undefined
    const layout = layoutOf(file, readersIn(locale, this.#readers), this.#aliases, { mapping, headerRow, mayFeed })
    for (const sheet of layout.sheets) refuseSensitive(file.sheets[sheet.position]!, sheet, values)
    return layout
  }
}

function columnsIn({ models }: ImportPlan): number {
  return models.reduce((sum, { columns }) => sum + columns.length, 0)
}
