import { CellProblem } from '../../kinds/cells.ts'
import type { Database } from '../../store/connection/database.ts'
import { lookedUp, TOLD_NAMES } from '../read/cells.ts'
import { type ImportRow, isLeft, rowError } from '../read/import-row.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import type { Outcomes } from '../tally.ts'
import { Attempt } from './attempt.ts'
import { allOutcomes, NO_OUTCOMES } from './counts.ts'
import { diffWith } from './diff.ts'
import { boundedParts } from './record-lists.ts'
import { keyIn, problemsIn } from './resolve-values.ts'
import { mustKeepOrder } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

/** The number of attempts without the failed rows, before the rows are halved. */
const MOST_ATTEMPTS = 6

/** The number of attempts after which rows are written one by one, if many still have to be retried. */
const ATTEMPTS_BEFORE_SINGLE_ROWS = 2

/** The share of rows that counts as many. An attempt costs as much as ten single rows, and may settle only one. */
const MANY = 1 / 16

class Undo extends Error {}

/**
 * Each row is written with all of its models or none, with the result of row after row. Errors are left in the rows.
 */
export async function writeRows(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<Outcomes> {
  const wanted = rows.filter(row => !row.isSkipped)
  await resolveUntouched(context, sheet, wanted)
  let outcomes = NO_OUTCOMES
  for (const part of boundedParts(sheet, wanted)) {
    outcomes = allOutcomes(outcomes, await writeOrHalve(database, context, sheet, part))
  }
  return outcomes
}

async function writeOrHalve(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<Outcomes> {
  let keepsOrder = mustKeepOrder(sheet)
  for (let tried = 0; tried < MOST_ATTEMPTS; tried++) {
    const left = rows.filter(isLeft)
    if (left.length === 0) return NO_OUTCOMES
    const attempt = new Attempt(context, sheet, left, keepsOrder)
    let undone: ImportRow | 'reordered' | undefined
    const run = async () => {
      undone = await attempt.run()
      if (undone) throw new Undo()
    }
    try {
      // With a single model, a failed row has written nothing. Only a wrong order has to be undone.
      await (sheet.models.length === 1 && !attempt.isReordered ? run() : database.transaction(run))
    } catch (error) {
      if (!(error instanceof Undo)) throw error
    }
    if (undone === 'reordered') {
      keepsOrder = true
      continue
    }
    // A later row may have failed because of the row that is undone.
    const last = undone?.number ?? Number.POSITIVE_INFINITY
    const { errors, skipped, retryable } = attempt.failures
    const isFinal = (row: ImportRow) => row.number <= last || !retryable.has(row)
    for (const [row, reasons] of errors) if (isFinal(row)) row.errors.push(...reasons)
    for (const row of skipped) if (isFinal(row)) row.isSkipped = true
    if (!undone) {
      for (const [row, warnings] of attempt.failures.warnings) row.warnings.push(...[...warnings.values()].flat())
      return done(database, context, attempt)
    }
    const again = rows.filter(row => isLeft(row) && retryable.has(row)).length
    if (tried + 1 >= ATTEMPTS_BEFORE_SINGLE_ROWS && again > left.length * MANY)
      return writeEach(database, context, sheet, rows)
  }
  const half = rows.length >> 1
  const first = await writeOrHalve(database, context, sheet, rows.slice(0, half))
  const second = await writeOrHalve(database, context, sheet, rows.slice(half))
  return allOutcomes(first, second)
}

async function writeEach(
  database: Database,
  context: WriteContext,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<Outcomes> {
  let outcomes: Outcomes = NO_OUTCOMES
  for (const row of rows.filter(isLeft)) {
    outcomes = allOutcomes(outcomes, await writeOrHalve(database, context, sheet, [row]))
  }
  return outcomes
}

async function done(
  database: Database,
  { diff }: WriteContext,
  { diff: changed, failures, outcomes, writtenRows }: Attempt,
): Promise<Outcomes> {
  const isStored = (row: ImportRow) => !failures.has(row)
  if (diff && changed) diff.value = diffWith(diff.value, changed.changesOf(isStored))
  await writtenRows.store(database, isStored)
  return outcomes
}

/** Finds the records of models that the file does not write. A text without a record becomes an error of its row. */
export async function resolveUntouched(
  { lookups }: Pick<WriteContext, 'lookups'>,
  sheet: ImportedSheet,
  rows: readonly ImportRow[],
): Promise<void> {
  for (const [index, model] of sheet.models.entries()) {
    for (const [at, { plan, field }] of model.columns.entries()) {
      const { lookup, links } = plan
      if (!lookup || !lookups.isUntouched(lookup)) continue
      const values = new Set<unknown>()
      for (const { cells } of rows) {
        for (const value of lookedUp(cells[index]![at], links)) values.add(value)
      }
      const found = await lookups.resolve(lookup, values)
      for (const row of rows) {
        const cells = row.cells[index]!
        if (cells[at] instanceof CellProblem) continue
        cells[at] = keyIn(found, cells[at], links)
        const problems = problemsIn(cells[at])
        for (const [, { text }] of problems.slice(0, TOLD_NAMES)) {
          row.errors.push(rowError(model, row, field, text))
        }
      }
    }
  }
}
