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
import type { Meeting } from './references-among-rows.ts'
import { keyIn, problemsIn } from './resolve-values.ts'
import { groupRows, type KeyedRow, mustKeepOrder, type RowGroups } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'
import { Cut } from './write-in-parts.ts'

/** The number of attempts without the failed rows, before the rows are halved. */
const MOST_ATTEMPTS = 6

/** The number of attempts after which rows are written one by one, if many still have to be retried. */
const ATTEMPTS_BEFORE_SINGLE_ROWS = 2

/** The share of rows that counts as many. An attempt costs as much as ten single rows, and may settle only one. */
const MANY = 1 / 16

class Undo extends Error {}

/** A row was written before an earlier one that its result depends on. */
class Reordered extends Error {}

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
    const settled = await new RowsInOrder(database, context, sheet).write(part.filter(isLeft))
    outcomes = allOutcomes(outcomes, await settled.store(database, context))
  }
  return outcomes
}

/** The results of rows, which are final. */
class Settled {
  readonly #attempts: Attempt[] = []
  readonly #failures: (() => void)[] = []

  add(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  copy(): Settled {
    const copy = new Settled()
    copy.#attempts.push(...this.#attempts)
    copy.#failures.push(...this.#failures)
    return copy
  }

  /** Adds the failures of an attempt that is undone. */
  fail({ failures }: Attempt, rows: readonly ImportRow[]): void {
    this.#failures.push(() => {
      for (const row of rows) {
        row.errors.push(...(failures.errors.get(row) ?? []))
        if (failures.skipped.has(row)) row.isSkipped = true
      }
    })
  }

  /** Leaves errors and warnings in the rows. */
  async store(database: Database, { diff }: WriteContext): Promise<Outcomes> {
    for (const fail of this.#failures) fail()
    let outcomes = NO_OUTCOMES
    const changes = []
    for (const { failures, outcomes: ofAttempt, diff: changed, writtenRows } of this.#attempts) {
      for (const [row, reasons] of failures.errors) row.errors.push(...reasons)
      for (const row of failures.skipped) row.isSkipped = true
      for (const [row, warnings] of failures.warnings) row.warnings.push(...[...warnings.values()].flat())
      const isStored = (row: ImportRow) => !failures.has(row)
      if (changed) changes.push(...changed.changesOf(isStored))
      await writtenRows.store(database, isStored)
      outcomes = allOutcomes(outcomes, ofAttempt)
    }
    if (diff) diff.value = diffWith(diff.value, changes)
    return outcomes
  }
}

class RowsInOrder {
  readonly #database: Database
  readonly #context: WriteContext
  readonly #sheet: ImportedSheet
  #keepsOrder: boolean
  #settled = new Settled()

  constructor(database: Database, context: WriteContext, sheet: ImportedSheet) {
    this.#database = database
    this.#context = context
    this.#sheet = sheet
    this.#keepsOrder = mustKeepOrder(sheet)
  }

  async write(rows: readonly ImportRow[]): Promise<Settled> {
    await this.#writeGroups(rows)
    return this.#settled
  }

  /** @param among the rows of which some are written before earlier ones, if there are any */
  async #writeGroups(rows: readonly ImportRow[], among?: readonly ImportRow[], tried = 0): Promise<void> {
    const deletesTogether = this.#context.deletesTogether === true
    const grouped = groupRows(this.#sheet, rows, { keepsOrder: this.#keepsOrder, deletesTogether })
    if (!grouped.isReordered || among) return this.#writeEachGroup(grouped, among, tried)
    const before = this.#settled.copy()
    try {
      await this.#database.transaction(() => this.#writeEachGroup(grouped, rows, tried))
    } catch (error) {
      if (!(error instanceof Reordered)) throw error
      this.#settled = before
      this.#keepsOrder = true
      await this.#writeGroups(rows)
    }
  }

  async #writeEachGroup(
    { groups, meetings }: RowGroups,
    among: readonly ImportRow[] | undefined,
    tried: number,
  ): Promise<void> {
    for (const [at, group] of groups.entries()) {
      const failed = new Set(await this.#writeGroup(group, meetings, among, groups.length === 1 ? tried : 0))
      if (!meetings.some(({ rows }) => rows.some(row => failed.has(row)))) continue
      // Later rows do not find the records of rows that failed.
      if (among) throw new Reordered()
      const later = groups.slice(at + 1).flatMap(rows => rows.map(({ row }) => row))
      return this.#writeGroups(later)
    }
  }

  /**
   * A group has no result before all of its rows have one, so the next group begins with the right records. Returns
   * rows that may have failed.
   */
  async #writeGroup(
    group: readonly KeyedRow[],
    meetings: readonly Meeting[],
    among: readonly ImportRow[] | undefined,
    tried: number,
  ): Promise<readonly ImportRow[]> {
    const attempt = new Attempt(this.#context, this.#sheet, group, { meetings, among })
    const run = async () => {
      const isDone = await attempt.run()
      if (among && attempt.failures.isAnyBlocked) throw new Reordered()
      if (!isDone) throw new Undo()
    }
    const rows = group.map(({ row }) => row)
    try {
      await (attempt.isUndoable ? this.#database.transaction(run) : run())
      this.#settled.add(attempt)
      return rows.filter(row => attempt.failures.has(row))
    } catch (error) {
      if (error instanceof Cut && among) throw new Reordered()
      if (error instanceof Cut) await this.#writeParts(cutRows(rows, error.starts))
      else if (error instanceof Undo) await this.#writeAgain(attempt, rows, among, tried + 1)
      else throw error
      return rows
    }
  }

  /** Writes the rows of an undone attempt without those that fail in any case. */
  async #writeAgain(
    attempt: Attempt,
    rows: readonly ImportRow[],
    among: readonly ImportRow[] | undefined,
    tried: number,
  ): Promise<void> {
    const { failures } = attempt
    const wrong = failures.firstWrong(rows)
    const failed = rows.filter(row => failures.has(row))
    const final = new Set(failed.filter(({ number }) => wrong === undefined || number < wrong.number))
    this.#settled.fail(attempt, [...final])
    const left = rows.filter(row => !final.has(row))
    const again = failed.length - final.size
    if (left.length === 0) return
    if (tried >= ATTEMPTS_BEFORE_SINGLE_ROWS && again > rows.length * MANY) {
      const single = left.map(row => [row])
      return this.#writeParts(single, among)
    }
    if (tried < MOST_ATTEMPTS) return this.#writeGroups(left, among, tried)
    return this.#writeParts(cutRows(left), among)
  }

  async #writeParts(parts: readonly (readonly ImportRow[])[], among?: readonly ImportRow[]): Promise<void> {
    for (const part of parts) await this.#writeGroups(part, among)
  }
}

/** Parts that begin with `starts`; by default, halves. */
function cutRows(
  rows: readonly ImportRow[],
  starts: ReadonlySet<ImportRow> = new Set(rows.slice(rows.length >> 1, (rows.length >> 1) + 1)),
): readonly (readonly ImportRow[])[] {
  const parts: ImportRow[][] = []
  for (const row of rows) {
    if (parts.length === 0 || starts.has(row)) parts.push([])
    parts.at(-1)!.push(row)
  }
  return parts
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
