import type { Table } from 'drizzle-orm'
import { currentContext } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import { dependentsOf, type History, recordedHistory } from '../../model/history.ts'
import type { ColumnInfo, TableInfo } from '../../model/model-info.ts'
import { nestingsOf } from '../../model/nestings.ts'
import { columnsWithReserved, isReserved, reservedProblem } from '../../model/reserved-values.ts'
import { type WriteListener, writeListeners } from '../../model/signals.ts'
import { slugColumns } from '../../model/slug-column.ts'
import { checkDialect, type Database } from '../connection/database.ts'
import type { RawRow, Result } from '../connection/driver.ts'
import { inTransaction } from '../connection/session.ts'
import { writeWithSlugs } from '../free-slugs.ts'
import { ownProjection } from '../projection.ts'
import {
  decodedKeys,
  hasKey,
  inOrder,
  insertedKeys,
  isKeyed,
  type KeyPlace,
  keyPlace,
  withMadeKeys,
  writtenInOrder,
} from '../row-order.ts'
import { decodeRow } from '../row-set.ts'
import { deleteRows, deleteWhere } from './delete-rows.ts'
import { exchangeUniques } from './exchange-uniques.ts'
import { isGuarded, outdatedRows, readByKeys } from './guard.ts'
import { insertRows, withMadeValues } from './insert-rows.ts'
import { noteMoved, writeChildrenOf } from './move-versions.ts'
import { passGivenNumbers } from './pass-numbers.ts'
import { deleteWithDependents } from './record-dependents.ts'
import { isLocked, recordHistory } from './record-history.ts'
import { Refusals } from './refused-rows.ts'
import { cascades, writeWithCascade } from './soft-cascade.ts'
import { updateRows } from './update-rows.ts'
import type {
  DeletePlan,
  DeleteWherePlan,
  InsertPlan,
  Returning,
  UpdatePlan,
  Values,
  WritePlan,
  WriteResult,
  WrittenRow,
} from './write.ts'
import { deleteRow, insertRow, updateRow } from './write-row.ts'

const NOTHING: WriteResult = { changes: 0, rows: [], keys: [], outdated: [] }

/**
 * Writes a plan. The result is in the order of the plan and lists rows that failed their guard. A plan is one
 * statement, or more if rows have different SQL or exchange unique values. The model's listeners are called once.
 *
 * @throws ApiError with the model's fields if the database rejects the write.
 */
export function executeWrite(database: Database, plan: WritePlan): Promise<WriteResult> {
  checkDialect(database, plan.model)
  if ('rows' in plan && plan.rows.length === 0) return Promise.resolve(NOTHING)
  if (plan.kind === 'insert') {
    refuseReserved(plan)
    if (slugColumns(plan.model).length > 0) {
      return writeWithSlugs(database, plan.model, plan.rows, rows => write(database, { ...plan, rows }))
    }
  }
  if (plan.kind === 'delete' && hasRecordedDependents(plan.model.table)) {
    return deleteWithDependents(database, plan, () => write(database, plan))
  }
  if (cascades(plan)) {
    return writeWithCascade(
      database,
      plan,
      () => write(database, plan),
      other => executeWrite(database, other),
    )
  }
  return write(database, plan)
}

/** A field of a serializer has refused such a value of a client. Code and relations that create records have not. */
function refuseReserved({ model, rows }: InsertPlan): void {
  // An undo brings back what was stored before the value was reserved. It is a job, unlike an action with its name.
  const { change } = currentContext()
  if (change?.source === 'undo' && change.job !== null) return
  for (const column of columnsWithReserved(model)) {
    const refused = rows.find(row => isReserved(column, row[column.key]))?.[column.key]
    if (refused !== undefined) throw new ValidationError({ [column.wire]: [reservedProblem(refused)] })
  }
}

function hasRecordedDependents(table: Table): boolean {
  return dependentsOf(table).length > 0 && currentContext().recordsHistory
}

function write(database: Database, plan: WritePlan): Promise<WriteResult> {
  const listeners = writeListeners(plan.model.table)
  const history = recordedHistory(plan.model.table)
  const nested = nestingsOf(plan.model.table).length > 0
  const isReported = listeners !== undefined || history !== undefined
  if (!nested && !isReported) return perform(database, plan, returningOf(plan))
  const performed = () => perform(database, plan, 'rows')
  const reported = isReported ? () => reportWrite(database, plan, { listeners, history }, performed) : performed
  if (!nested) return reported()
  const readReplaced = async () => (plan.kind === 'update' ? readBefore(database, plan, true) : () => [])
  return writeChildrenOf(database, plan, reported, readReplaced)
}

interface Watching {
  readonly listeners: ReadonlySet<WriteListener> | undefined
  readonly history: History | undefined
}

function returningOf(plan: WritePlan): Returning | undefined {
  return 'returning' in plan ? plan.returning : undefined
}

async function perform(database: Database, plan: WritePlan, returning: Returning | undefined): Promise<WriteResult> {
  const result = await store(database, plan, returning)
  noteMoved(database, plan, result)
  return result
}

function store(database: Database, plan: WritePlan, returning: Returning | undefined): Promise<WriteResult> {
  switch (plan.kind) {
    case 'insert':
      return insert(database, plan, returning)
    case 'update':
      return update(database, plan, returning)
    case 'delete':
      return 'where' in plan ? removeWhere(database, plan, returning) : remove(database, plan, returning)
  }
}

async function insert(database: Database, { model, rows }: InsertPlan, returning?: Returning): Promise<WriteResult> {
  const columns = returnedColumns(model, returning)
  if (rows.length === 1) {
    const result = await insertRow(database, model, rows[0] as Values, columns)
    await passGivenNumbers(database, model, rows)
    return resultOf(database, model, returning, result)
  }
  const keyed = returning === undefined ? rows : await withKeysOf(database, model, rows)
  const result = await insertRows(database, model, keyed, columns)
  await passGivenNumbers(database, model, rows)
  return resultOf(database, model, returning, result, at =>
    isKeyed(model) ? insertedKeys(database, model, keyed, result.rows, at) : [],
  )
}

/** New rows with the keys that code makes. */
async function withKeysOf(database: Database, model: TableInfo, rows: readonly Values[]): Promise<readonly Values[]> {
  return hasKey(model) ? withMadeKeys(database, model, rows) : withMadeValues(model, rows)
}

async function update(database: Database, plan: UpdatePlan, returning?: Returning): Promise<WriteResult> {
  const { model, rows } = plan
  const guarded = isGuarded(rows)
  const needed = returning ?? (guarded ? 'keys' : undefined)
  const columns = returnedColumns(model, needed)
  const isOne = rows.length === 1
  const result = isOne
    ? await updateRow(database, plan, columns)
    : await exchangeUniques(database, model, rows, () => updateRows(database, plan, columns))
  const written = resultOf(database, model, needed, result, isOne ? undefined : () => keysOf(rows))
  return guarded ? withOutdated(database, plan, written) : written
}

async function remove(database: Database, plan: DeletePlan, returning?: Returning): Promise<WriteResult> {
  const { model, rows } = plan
  const guarded = isGuarded(rows)
  const needed = returning ?? (guarded ? 'keys' : undefined)
  const columns = returnedColumns(model, needed)
  const result =
    rows.length === 1
      ? await deleteRow(database, model, rows[0] as WrittenRow, columns)
      : await deleteRows(database, plan, columns)
  const written = resultOf(database, model, needed, result, () => keysOf(rows))
  return guarded ? withOutdated(database, plan, written) : written
}

async function removeWhere(database: Database, plan: DeleteWherePlan, returning?: Returning): Promise<WriteResult> {
  const { model } = plan
  return resultOf(database, model, returning, await deleteWhere(database, plan, returnedColumns(model, returning)))
}

function keysOf(rows: readonly WrittenRow[]): readonly unknown[] {
  return rows.map(({ key }) => key)
}

const NO_COLUMNS: readonly ColumnInfo[] = []

function returnedColumns(model: TableInfo, returning: Returning | undefined): readonly ColumnInfo[] {
  if (returning === undefined) return NO_COLUMNS
  return returning === 'keys' && hasKey(model) ? [model.primaryKey] : model.columns
}

function resultOf(
  database: Database,
  model: TableInfo,
  returning: Returning | undefined,
  { changes, rows }: Result,
  keysAt?: (at: KeyPlace) => readonly unknown[],
): WriteResult {
  if (returning === undefined || !isKeyed(model)) return { changes, rows, keys: [], outdated: [] }
  const at = returning === 'keys' && hasKey(model) ? 0 : keyPlace(model, model.columns)
  const asked = keysAt?.(at)
  const ordered: readonly RawRow[] = asked ? writtenInOrder(database, model, rows, at, asked) : rows
  // A trigger can prevent storing a row: the database's answer counts.
  const keys = asked?.length === ordered.length ? asked : decodedKeys(database, model, ordered, at)
  return { changes, rows: ordered, keys, outdated: [] }
}

async function withOutdated(
  database: Database,
  { model, rows }: UpdatePlan | DeletePlan,
  written: WriteResult,
): Promise<WriteResult> {
  return { ...written, outdated: await outdatedRows(database, model, rows, written.keys) }
}

/**
 * Runs a write that returns its rows, stores their history and calls the listeners in sequence, in the same
 * transaction.
 */
function reportWrite(
  database: Database,
  plan: WritePlan,
  { listeners = NO_LISTENERS, history }: Watching,
  write: () => Promise<WriteResult>,
): Promise<WriteResult> {
  return inTransaction(database, async () => {
    const { model, kind } = plan
    const asked = history !== undefined || [...listeners].some(({ before }) => before)
    const found = kind === 'update' && asked ? await readBefore(database, plan, history !== undefined) : undefined
    const result = await write()
    if (result.changes === 0) return result
    const replaced = found?.(result.keys)
    if (history) {
      const before = kind === 'delete' ? result.rows : (replaced ?? [])
      await recordHistory(database, history, kind, { before, after: kind === 'delete' ? [] : result.rows })
    }
    if (listeners.size === 0) return result
    const rowsOf = (rows: readonly RawRow[]) => rows.map(row => decodeRow(database.dialect, model, row))
    const written = rowsOf(result.rows)
    const decoded = replaced && rowsOf(replaced)
    const after = kind === 'delete' ? [] : written
    const refusals = new Refusals(written, decoded)
    const { refuse } = refusals
    for (const { handler, before: isAsked } of listeners) {
      const before = kind === 'insert' ? [] : kind === 'delete' ? written : isAsked ? decoded : undefined
      await handler({ kind, model: model.table, before, after, refuse })
    }
    refusals.check()
    return result
  })
}

const NO_LISTENERS: ReadonlySet<WriteListener> = new Set()

/** A history needs the row right before the write, so a row that was read without a lock is read again. */
async function readBefore(
  database: Database,
  { model, rows, before }: Extract<WritePlan, { kind: 'update' }>,
  isForHistory: boolean,
): Promise<(keys: readonly unknown[]) => readonly RawRow[]> {
  if (before && (!isForHistory || isLocked(before))) return () => [before]
  const keys = rows.map(({ key }) => key)
  const found = await readByKeys(database, ownProjection(model), keys, 'update')
  return written => inOrder(database, model, found, keyPlace(model, model.columns), written)
}
