import { setImmediate as pause } from 'node:timers/promises'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import type { Database } from '../../store/connection/database.ts'
import { toApiError } from '../../store/faults.ts'
import { QuerySet } from '../../store/queryset.ts'
import { lockTable } from '../../store/write/run-write.ts'
import type { ReadFile } from '../../tabular/read/file.ts'
import type { ImportDiff } from '../diff.ts'
import type { EditMerge } from '../edit/merge-edits.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ImportCheckpoint, ImportProgress, ImportRecorder, OnRowErrors } from '../options.ts'
import type { ImportPlan, ModelPlan } from '../plan/plan.ts'
import { fixedColumns, hooksOf } from '../read/fixed-columns.ts'
import type { ImportRow } from '../read/import-row.ts'
import { type TransformFaults, unreadableFile } from '../read/read-faults.ts'
import { type RowReading, readRows } from '../read/read-rows.ts'
import { countRows, type RowBatch, type RowSource } from '../read/row-source.ts'
import type { ImportedSheet, Layout } from '../read/sheet-layout.ts'
import type { ImportResult, ImportRowProblem } from '../result.ts'
import { shownErrors } from '../row-problems.ts'
import { type Outcomes, storedBefore } from '../tally.ts'
import { UnmatchedTexts } from '../unmatched/unmatched-texts.ts'
import { type Counts, counted, countsFrom, NO_OUTCOMES, tallyOf, withProblems } from './counts.ts'
import { deleteReplaced, type ReplacedRecords, replacedRecords } from './delete-replaced.ts'
import { NO_DIFF } from './diff.ts'
import { LaterRows } from './later-rows.ts'
import { problemsOfRows } from './problems-of-rows.ts'
import { RepeatedRows } from './repeated-rows.ts'
import { ForeignKeyLookups, type WriteContext } from './write-context.ts'
import { writeRows } from './write-rows.ts'

/** Larger statements use more memory. */
const BATCH = 1_000

export interface RunSettings {
  readonly database: Database
  readonly plan: ImportPlan
  readonly mainModel: ModelPlan
  readonly queryset: QuerySet
  readonly hooks: ImportHooks
  readonly source: RowSource
  readonly append: boolean
  readonly dryRun: boolean
  readonly diff: boolean
  readonly failOnWarnings: boolean
  readonly allOrNothing: boolean
  readonly signal: AbortSignal | undefined
  readonly checkpoint: ImportCheckpoint | undefined
  readonly recorder: ImportRecorder | undefined
  readonly context: ReadContext
  readonly faults: TransformFaults
  progress(counts: Counts): Promise<void>
  readonly onRowErrors: OnRowErrors | undefined
  /** The merge of an edited file. */
  readonly edits: EditMerge | undefined
  /** Called in the transaction of an import that is one transaction. */
  end(outcome: RunOutcome): Promise<void>
}

export interface RunOutcome {
  readonly counts: Counts
  /** The number of records that a replace deleted; `undefined` for an import that appends. */
  readonly deleted: number | undefined
  /** Whether nothing is stored, since rows failed. */
  readonly isRolledBack: boolean
  readonly diff: ImportDiff | undefined
  /** Of a dry run. */
  readonly unmatched?: ImportResult['unmatched']
}

class Undo extends Error {}

export async function runImport(settings: RunSettings): Promise<RunOutcome> {
  const { append, dryRun, allOrNothing, plan, checkpoint } = settings
  const { chunkSize = checkpoint?.chunkSize } = plan
  const ofFile = { repeated: await repeatedRowsOf(settings), later: new LaterRows() }
  const inChunks = append && !dryRun && !allOrNothing && chunkSize !== undefined
  return inChunks ? importChunks(settings, chunkSize, ofFile) : importWhole(settings, ofFile)
}

async function importWhole(settings: RunSettings, ofFile: RowsOfFile): Promise<RunOutcome> {
  const { database, source, append, dryRun, allOrNothing, mainModel, hooks } = settings
  const isWhole = !append || allOrNothing
  let counts = countsFrom()
  let deleted: number | undefined
  let diff: ImportDiff | undefined
  let unmatched: ImportResult['unmatched']
  const run = async () => {
    await source.rewind(0)
    counts = countsFrom()
    deleted = undefined
    let records: ReplacedRecords = []
    // Only the sheet of the replaced model counts. A workbook may have other sheets.
    let isAllSkipped = true
    const texts = dryRun ? new UnmatchedTexts() : undefined
    const context = await beginContext(settings, NO_DIFF)
    for (let batch = await source.take(BATCH); batch; batch = await source.take(BATCH)) {
      const mainSheet = batch.sheet.models.findLast(({ reader }) => reader.plan.model === mainModel.model)
      if (!append && mainSheet && deleted === undefined) {
        if (context.diff) records = await replacedRecords(context, mainSheet.reader)
        deleted = await deleteReplaced(context.visible(mainModel), hooks)
      }
      const imported = await importBatch(settings, context, counts, batch, { ...ofFile, unmatched: texts })
      if (mainSheet && imported.counts.skipped - counts.skipped < batch.rows.length) isAllSkipped = false
      counts = imported.counts
      await settings.progress(counts)
    }
    if (!append && deleted === undefined) throw new ValidationError({ file: [message('nothing_to_replace')] })
    // This would delete everything and store nothing, which is surely a mistake.
    if (!append && isAllSkipped && counts.failed === 0)
      throw new ValidationError({ file: [message('nothing_to_replace.skipped')] })
    diff = context.diff && { ...context.diff.value, ...(deleted !== undefined && { replaced: { deleted, records } }) }
    unmatched = await texts?.listed(context.lookups)
    if (dryRun || (isWhole && counts.failed > 0)) throw new Undo()
    settings.signal?.throwIfAborted()
    await settings.end({ counts, deleted, isRolledBack: false, diff })
  }
  try {
    await database.transaction(run, { signal: settings.signal })
  } catch (error) {
    if (!(error instanceof Undo)) throw error
  }
  const isRolledBack = isWhole && counts.failed > 0
  // A row that the configuration skips stays skipped.
  const nothing = { ...NO_OUTCOMES, skipped: counts.skipped }
  if (!isRolledBack) return { counts, deleted, isRolledBack, diff, unmatched }
  const none = deleted === undefined ? undefined : 0
  return { counts: { ...counts, ...nothing }, deleted: none, isRolledBack, diff: diff && NO_DIFF, unmatched }
}

async function importChunks(settings: RunSettings, chunkSize: number, ofFile: RowsOfFile): Promise<RunOutcome> {
  const { database, source, checkpoint, recorder } = settings
  let counts = await countsBefore(checkpoint)
  let diff = NO_DIFF
  await source.rewind(0)
  await noteRows(settings, ofFile.later, counts.processed)
  for (let isLast = false; !isLast; ) {
    const start = source.position
    const before = counts
    const run = async () => {
      await source.rewind(start)
      const context = await beginContext(settings, diff)
      let chunk = before
      const problems: (readonly ImportRowProblem[])[] = []
      for (let left = chunkSize; left > 0; left = chunkSize - (source.position - start)) {
        const batch = await source.take(Math.min(left, BATCH))
        isLast = batch === undefined
        if (!batch) break
        const imported = await importBatch(settings, context, chunk, batch, ofFile)
        chunk = imported.counts
        if (recorder) problems.push(imported.problems)
      }
      if (chunk.processed > before.processed) await recorder?.save(tallyOf(chunk), problems.flat())
      return { chunk, changed: context.diff?.value ?? NO_DIFF }
    }
    try {
      const { chunk, changed } = await database.transaction(run, { signal: settings.signal })
      counts = chunk
      diff = changed
    } catch (error) {
      // A caller with a checkpoint continues, and reports at the end.
      throw checkpoint ? error : withStoredCount(database, error, before)
    }
    if (counts.processed > before.processed) await settings.progress(counts)
  }
  return { counts, deleted: undefined, isRolledBack: false, diff: settings.diff ? diff : undefined }
}

/** Reads the rows that an interrupted import has written, of which later rows may overwrite some. */
async function noteRows(settings: RunSettings, later: LaterRows, processed: number): Promise<void> {
  const { plan, mainModel, source, edits } = settings
  const hooks = hooksOf(plan, mainModel, settings.hooks)
  const reading = readingOf(settings)
  for (let left = processed; left > 0; left = processed - source.position) {
    const batch = await source.take(Math.min(left, BATCH))
    if (!batch) return
    await pause()
    const { sheet, rows } = batch
    if (!edits) later.note(sheet, await readRows(sheet, rows, reading, fixedColumns(sheet, hooks)))
  }
}

/** The counts of an import that was interrupted. */
async function countsBefore(checkpoint: ImportCheckpoint | undefined): Promise<Counts> {
  let counts = countsFrom(checkpoint?.from)
  if (counts.processed === 0) return counts
  for await (const problems of checkpoint?.problems?.() ?? []) counts = withProblems(counts, problems)
  return counts
}

interface RowsOfFile {
  readonly repeated: RepeatedRows | undefined
  readonly later: LaterRows
  readonly unmatched?: UnmatchedTexts | undefined
}

/** `undefined` if rows with the same key may follow each other. */
async function repeatedRowsOf(settings: RunSettings): Promise<RepeatedRows | undefined> {
  const { plan, mainModel, source, signal, edits } = settings
  if (edits || plan.models.every(({ policy }) => policy.onDuplicateRow === 'last')) return undefined
  const hooks = hooksOf(plan, mainModel, settings.hooks)
  const reading = readingOf(settings)
  return RepeatedRows.in(
    source,
    ({ sheet, rows }) => readRows(sheet, rows, reading, fixedColumns(sheet, hooks)),
    signal,
  )
}

function readingOf({
  plan: { prepareRow, totalsRows },
  hooks,
  context,
  faults,
  failOnWarnings,
}: RunSettings): RowReading {
  return { context, faults, prepareRow, totalsRows, view: hooks.view, failOnWarnings }
}

async function importBatch(
  settings: RunSettings,
  context: WriteContext,
  counts: Counts,
  { sheet, rows: read }: RowBatch,
  { unmatched, ...ofFile }: RowsOfFile,
): Promise<{ readonly counts: Counts; readonly problems: readonly ImportRowProblem[] }> {
  const { database, signal, onRowErrors, edits } = settings
  signal?.throwIfAborted()
  // SQLite is synchronous: without a pause, other requests would wait for the whole import.
  await pause()
  const reading = readingOf(settings)
  const fixed = fixedColumns(sheet, context.hooks)
  const { rows, outcomes } = edits
    ? await edits.write(database, context, read, { reading, fixed })
    : await writeAll(database, context, sheet, await readRows(sheet, read, reading, fixed), ofFile)
  await pause()
  if (!edits) unmatched?.add(sheet, read, rows)
  const problems = problemsOfRows(sheet, read, rows)
  await onRowErrors?.(shownErrors(problems), counts.processed)
  return { counts: counted(counts, rows, outcomes, problems), problems }
}

async function writeAll(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
  { repeated, later }: Pick<RowsOfFile, 'repeated' | 'later'>,
): Promise<{ readonly rows: readonly ImportRow[]; readonly outcomes: Outcomes }> {
  await pause()
  repeated?.refuse(sheet, rows)
  later.warn(sheet, rows, context.failOnWarnings)
  return { rows, outcomes: await writeRows(database, context, sheet, rows) }
}

/** Begins a transaction. Without a unique index, a lock keeps others from writing duplicates. */
async function beginContext(
  { database, plan, mainModel, queryset, hooks, diff, failOnWarnings, context, append }: RunSettings,
  before: ImportDiff,
): Promise<WriteContext> {
  for (const { model, unique } of plan.models) if (!unique.isEnforced) await lockTable(database, model)
  const all = (model: ModelPlan['model']) => new QuerySet(database, model)
  // A model may be in a file twice, as parents and as their children. The queryset holds for both.
  const visible = (planned: ModelPlan) =>
    (planned.model === mainModel.model ? queryset : all(planned.model)).filter(planned.scope?.())
  return {
    visible,
    failOnWarnings,
    reading: context,
    isReplaced: ({ model }) => !append && model === mainModel.model,
    diff: diff ? { value: before } : undefined,
    all: ({ model }) => all(model),
    hooks: hooksOf(plan, mainModel, hooks),
    lookups: new ForeignKeyLookups(
      model => (model === mainModel.model ? visible(mainModel) : all(model)),
      new Set(plan.models.map(({ model }) => model)),
    ),
  }
}

/** Adds the number of stored rows to the error of an import that ends early. */
function withStoredCount(database: Database, thrown: unknown, counts: Counts): unknown {
  const error = toApiError(database.dialect, thrown) ?? unreadableFile(thrown)
  if (!error || counts.processed === 0) return error ?? thrown
  const text = message('imported.ended_early', { problem: storedBefore(error.text, counts) })
  const { status, code, fieldErrors: errors, headers } = error
  return new ApiError(status, code, text, { ...(errors && { errors }), headers, cause: thrown })
}

/** A separate pass counts the rows first. */
export async function progressOf(
  onProgress: ImportProgress | undefined,
  checkpoint: ImportCheckpoint | undefined,
  { sheets }: Layout,
  open: () => Promise<ReadFile>,
): Promise<RunSettings['progress']> {
  if (!onProgress && !checkpoint) return async () => {}
  const total = checkpoint?.total ?? (await countRows(open, sheets))
  if (checkpoint?.total === null) await checkpoint.count(total)
  return async counts => {
    checkpoint?.show(tallyOf(counts))
    await onProgress?.(counts.processed, total, counts.errors.listed)
  }
}
