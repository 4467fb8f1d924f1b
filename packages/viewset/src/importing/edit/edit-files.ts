import type { Readable } from 'node:stream'
import { keepContext } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ApiSettings } from '../../core/settings.ts'
import { type ReadContext, readContextOf } from '../../kinds/kind.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ReadFile, ReadRow, ReadSheet } from '../../tabular/read/file.ts'
import { type Sheet, xlsxWriter } from '../../tabular/xlsx/write.ts'
import type { FailedRowsOptions } from '../failed/failed-rows.ts'
import type { FoundRows } from '../found-rows.ts'
import type { EditExportOptions, ImportOptions } from '../options.ts'
import { type HeaderAliases, headerKey } from '../plan/headers.ts'
import type { ImportColumn, ImportPlan, ModelPlan } from '../plan/plan.ts'
import type { ImportPreview, PreviewRow } from '../preview/import-preview.ts'
import { withValues } from '../read/cell-values.ts'
import type { ImportRow } from '../read/import-row.ts'
import { readersIn } from '../read/model-reader.ts'
import { RowSource } from '../read/row-source.ts'
import { shownProblem } from '../row-problems.ts'
import { storedIn } from '../write/write-context.ts'
import { readBase } from './base-sheet.ts'
import { AS_TIME_CELLS } from './edit-cells.ts'
import { editSheets } from './edit-file.ts'
import { type EditLayout, editLayout } from './edit-layout.ts'
import { type EditPlan, isEditable } from './edit-plan.ts'
import { EditedRows } from './edited-rows.ts'
import { type FailedEdits, failedEditSheets } from './failed-edits.ts'
import { EditMerge } from './merge-edits.ts'
import { FileColumns } from './read-only-columns.ts'

/** What decides about rows that are marked for deletion. */
type DeletingOptions = Pick<ImportOptions, 'deleteMarked' | 'hooks' | 'locale'>

interface ExportOptions extends Omit<EditExportOptions, 'settings'> {
  readonly settings: ApiSettings
}

/** The files of one import that are exported, edited and imported again. */
export class EditFiles {
  readonly #plan: ImportPlan
  readonly #mainModel: ModelPlan
  readonly #aliases: HeaderAliases
  readonly #makeEdit: () => EditPlan
  #edit: EditPlan | undefined

  /** @param makeEdit is called at the first use, since few imports export files for editing */
  constructor(plan: ImportPlan, mainModel: ModelPlan, aliases: HeaderAliases, makeEdit: () => EditPlan) {
    this.#plan = plan
    this.#mainModel = mainModel
    this.#aliases = aliases
    this.#makeEdit = makeEdit
  }

  get isEditable(): boolean {
    return isEditable(this.#plan, this.#mainModel)
  }

  /** Writes a workbook of records to be edited. */
  export(queryset: QuerySet, { settings, signal, hooks = {}, deletable = false, readOnly }: ExportOptions): Readable {
    const { fixedValues = {} } = hooks
    const edit = this.#editPlan()
    const sheets = editSheets({
      // No file can change a fixed value.
      edit: { ...edit, columns: edit.columns.filter(({ column }) => !(column.key in fixedValues)) },
      queryset,
      lookups: storedIn(queryset, this.#mainModel),
      context: readContextOf(settings),
      maxRows: settings.COMMON.EDIT_MAX_ROWS,
      deletable,
      readOnly,
      sensitive: this.#sensitive,
    })
    return xlsxWriter().writeSheets(keepContext(sheets), { ...AS_TIME_CELLS, ...(signal && { signal }) })
  }

  /**
   * The rows of an edited file and of its base.
   *
   * @throws ValidationError for a damaged base, and for a base of another model
   */
  async read(file: ReadFile, sheet: ReadSheet, locale?: string): Promise<EditedRows> {
    const base = await readBase(sheet, this.#mainModel.model.name)
    return new EditedRows(editLayout(file, inLocale(locale, this.#editPlan()), base), base)
  }

  /** @throws ValidationError for a file that cannot be imported at all */
  async check(file: ReadFile, base: ReadSheet, options: DeletingOptions, context: ReadContext): Promise<void> {
    const edited = await this.read(file, base, options.locale)
    await this.#mergeOf(this.#editPlan(), edited, onceOf(edited.layout), options, context)
  }

  /** The preview of an edited file, by the rules of its import: the file need not have all columns. */
  async preview(
    file: ReadFile,
    base: ReadSheet,
    shown: ImportPreview,
    { locale, context }: { readonly locale: string | undefined; readonly context: ReadContext },
  ): Promise<ImportPreview> {
    const sheets = shown.sheets.map(sheet => ({ ...sheet, missing: [], problems: [] }))
    try {
      const edited = await this.read(file, base, locale)
      const edits = new EditMerge(this.#editPlan(), edited, 'fail')
      const { changing } = edited.layout
      const listed = new Set(sheets.flatMap(({ rows }) => rows.map(({ row }) => row)))
      const first: ReadRow[] = []
      await edits.readKeys(onceOf(edited.layout), context, rows =>
        first.push(...rows.filter(({ row }) => listed.has(row))),
      )
      const refused = new Map(first.map(row => [row.row, edits.refused(row)]))
      const withMarks = sheets.map(sheet =>
        sheet.name === changing.name ? { ...sheet, rows: sheet.rows.map(row => shownRow(row, refused)) } : sheet,
      )
      return { ...shown, sheets: withMarks, problems: [], marked: edits.marked }
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      return {
        ...shown,
        sheets,
        problems: Object.values(error.fieldErrors ?? {})
          .flat()
          .map(String),
        marked: 0,
      }
    }
  }

  /**
   * Finds the edits of a file that is imported.
   *
   * @throws ValidationError for options that an edited file does not take
   */
  async find(
    file: ReadFile,
    sheet: ReadSheet,
    open: () => Promise<ReadFile>,
    options: ImportOptions,
    context: ReadContext,
  ): Promise<FoundRows> {
    const { append, mapping, values, locale } = options
    if (!append) throw new ValidationError({ append_data: [message('invalid_edit_file.replace')] })
    if (mapping) throw new ValidationError({ mapping: [message('invalid_edit_file.own_columns')] })
    if (!this.isEditable) throw new ValidationError({ file: [message('invalid_edit_file.not_editable')] })
    const edit = inLocale(locale, this.#editPlan())
    const base = await readBase(sheet, this.#mainModel.model.name)
    const edited = new EditedRows(editLayout(file, edit, base), base)
    const { layout } = edited
    const openAgain = async () => withValues(editLayout(await open(), edit, base).file, values)
    const rows = new RowSource(withValues(layout.file, values), layout.sheets, openAgain)
    const edits = await this.#mergeOf(edit, edited, rows, options, context)
    return { plan: edit.plan, mainModel: edit.changing.plan, layout, rows, open: openAgain, edits }
  }

  /** @throws ValidationError for marked rows without `deleteMarked`; ApiError if the user may not delete records */
  async #mergeOf(
    edit: EditPlan,
    edited: EditedRows,
    rows: RowSource,
    { deleteMarked = false, hooks, onConflict = 'fail' }: DeletingOptions & Pick<ImportOptions, 'onConflict'>,
    context: ReadContext,
  ): Promise<EditMerge> {
    const edits = new EditMerge(edit, edited, onConflict)
    await edits.readKeys(rows, context)
    const { marked, mark: column = '' } = edits
    if (marked === 0) return edits
    if (!deleteMarked) {
      throw new ValidationError({ delete_marked: [message('invalid_edit_file.marked', { rows: marked, column })] })
    }
    const deletions = await hooks?.deletions?.(column)
    if (deletions) edits.deleteOnly(deletions, this.#othersOf(edited, deletions.readOnly, context))
    return edits
  }

  #othersOf({ base }: EditedRows, readOnly: FailedRowsOptions['readOnly'], context: ReadContext): FileColumns {
    return new FileColumns({ edit: this.#editPlan(), readOnly, sensitive: this.#sensitive, context }, base)
  }

  /** The sheets of a file of the edited rows that failed. */
  failedSheets({
    readOnly,
    ...failed
  }: Omit<FailedEdits, 'edit' | 'lookups' | 'sensitive' | 'others'> &
    Pick<FailedRowsOptions, 'readOnly'>): AsyncIterable<Sheet> {
    const others = this.#othersOf(failed.edited, readOnly, failed.context)
    const lookups = storedIn(failed.queryset, this.#mainModel)
    const sensitive = this.#sensitive.flatMap(column => {
      const { label = '', paths = [] } = this.#aliases.get(column) ?? {}
      return [column.header, column.flatHeader, ...column.spellings, label, ...paths].map(headerKey)
    })
    return failedEditSheets({ ...failed, edit: this.#editPlan(), lookups, sensitive, others })
  }

  get #sensitive(): readonly ImportColumn[] {
    return this.#mainModel.columns.filter(({ isSensitive }) => isSensitive)
  }

  #editPlan(): EditPlan {
    this.#edit ??= this.#makeEdit()
    return this.#edit
  }
}

/** A previewed row with the messages of its import, if this refuses its key or its mark. */
function shownRow(row: PreviewRow, refused: ReadonlyMap<number, ImportRow | undefined>): PreviewRow {
  const found = refused.get(row.row)
  if (!found) return row
  const { warnings: _, ...others } = row
  const warnings = found.warnings.map(shownProblem)
  return { ...others, problems: found.errors.map(shownProblem), ...(warnings.length > 0 && { warnings }) }
}

/** The rows of an open file, to be read once. */
function onceOf({ file, sheets }: EditLayout): RowSource {
  return new RowSource(file, sheets, () => Promise.reject(new Error('These rows are read once.')))
}

/** The plan for a file whose texts are in another language than the configuration's. */
function inLocale(locale: string | undefined, edit: EditPlan): EditPlan {
  const [changing, creating] = readersIn(locale, [edit.changing, edit.creating])
  return changing && creating ? { ...edit, changing, creating } : edit
}
