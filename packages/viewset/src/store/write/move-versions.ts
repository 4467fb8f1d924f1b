import { momentOfWrite } from '../../core/clock.ts'
import { quoteName } from '../../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { isNesting, type Nesting, nestingsOf } from '../../model/nestings.ts'
import { isVersionColumn, isVersionTime } from '../../model/version-column.ts'
import type { Database } from '../connection/database.ts'
import type { RawRow } from '../connection/driver.ts'
import { inTransaction, movedRows } from '../connection/session.ts'
import { keyProjection, ownProjection } from '../projection.ts'
import { decodedKeys, decoderOf, encodedKey, keyPlace, keyText } from '../row-order.ts'
import { rowColumns } from '../row-set.ts'
import { columnName, tableName, tupleOf } from '../select.ts'
import { Bound, isSql } from '../sql-value.ts'
import { isGuarded, readByKeys, readByValues } from './guard.ts'
import { isParentOf, type Lockable, lockParents, lockWithParents } from './lock-parents.ts'
import { runWrite } from './run-write.ts'
import type { InsertPlan, WritePlan, WriteResult } from './write.ts'

// Children that are written with a record are a part of it, so a write of a child moves the version of its parent. Another
// client then cannot overwrite the child with an old list.

/** The keys of parents that children refer to. */
type Owners = ReadonlyMap<Nesting, readonly unknown[]>

/**
 * Runs a write of children, which returns its rows, and moves the versions of their parents. Parents are locked before
 * the children. `readReplaced` reads children that may change their parent.
 */
export function writeChildrenOf(
  database: Database,
  plan: WritePlan,
  write: () => Promise<WriteResult>,
  readReplaced: () => Promise<(keys: readonly unknown[]) => readonly RawRow[]>,
): Promise<WriteResult> {
  return inTransaction(database, async () => {
    const { model, kind } = plan
    const nestings = nestingsOf(model.table)
    if (kind === 'insert') {
      const owners = givenOwners(plan, nestings)
      await lockNewOwners(database, owners)
      await moveOwners(database, owners)
    } else {
      await lockWithParents(
        database,
        nestings.map(nesting => ownersIn(plan, nesting)),
      )
    }
    const replaced =
      kind === 'update' && nestings.some(({ column }) => sets(plan, column)) ? await readReplaced() : NONE
    const result = await write()
    if (result.changes === 0) return result
    const rows = [...replaced(result.keys), ...result.rows]
    await moveOwners(database, ownersOf(database, nestings, model.columns, rows))
    return result
  })
}

const NONE = () => []

/** Notes the rows of a plan, whose version the write itself has moved. */
export function noteMoved(database: Database, plan: WritePlan, { keys }: WriteResult): void {
  const { model, kind } = plan
  if (kind === 'delete' || !isNesting(model.table)) return
  if (kind === 'update' && (plan.fill === false || versionsOf(model).some(column => sets(plan, column)))) return
  const written = kind === 'insert' || isGuarded(plan.rows) ? keys : plan.rows.map(({ key }) => key)
  const parent = model as ModelInfo
  movedRows(database)?.add(
    model.table,
    written.map(key => keyText(parent, key)),
  )
}

function versionsOf({ columns }: { readonly columns: readonly ColumnInfo[] }): readonly ColumnInfo[] {
  return columns.filter(isVersionColumn)
}

function sets(plan: Extract<WritePlan, { kind: 'update' }>, { key }: ColumnInfo): boolean {
  return plan.shared?.[key] !== undefined || plan.rows.some(({ values }) => values[key] !== undefined)
}

/** The parents of new children, as far as code names them. */
function givenOwners({ rows }: InsertPlan, nestings: readonly Nesting[]): Owners {
  return new Map(nestings.map(nesting => [nesting, givenKeys(nesting, rows)]))
}

function givenKeys({ column }: Nesting, rows: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] {
  const isKey = (value: unknown) => value !== null && value !== undefined && !isSql(value)
  return [...new Set(rows.map(row => row[column.key]).filter(isKey))]
}

function ownersOf(
  { dialect }: Database,
  nestings: readonly Nesting[],
  columns: readonly ColumnInfo[],
  rows: readonly RawRow[],
): Owners {
  const owners = nestings.map(nesting => {
    const at = columns.indexOf(nesting.column)
    const decode = decoderOf(dialect, nesting.column)
    const stored = new Set(rows.map(row => row[at]).filter(value => value !== null))
    return [nesting, [...stored].map(decode)] as const
  })
  return new Map(owners)
}

/** The parents of stored children, and the parents that they will have. */
function ownersIn(plan: Exclude<WritePlan, InsertPlan>, nesting: Nesting): Lockable {
  const values = plan.kind === 'update' ? [plan.shared ?? {}, ...plan.rows.map(row => row.values)] : []
  const next = givenKeys(nesting, values)
  const condition = (bound: Bound) => {
    const ofStored = isParentOf(nesting, plan.model, isChild(bound, plan))
    return next.length === 0 ? ofStored : `${ofStored} or ${isAmong(bound, nesting, next)}`
  }
  return { model: nesting.parent, condition, again: next.length > 0 }
}

/** Locks the parents that new children name, and theirs. A single kind of parent is locked when its version moves. */
async function lockNewOwners(database: Database, owners: Owners): Promise<void> {
  const named = [...owners].filter(([, keys]) => keys.length > 0)
  const rows = named.map(([nesting, keys]): Lockable => {
    return { model: nesting.parent, condition: bound => isAmong(bound, nesting, keys), again: true }
  })
  const [only] = rows
  if (only && rows.length === 1) await lockParents(database, only.model, only.condition)
  else await lockWithParents(database, rows)
}

function isAmong(bound: Bound, { parent, column, ownerKey }: Nesting, keys: readonly unknown[]): string {
  const encoded = keys.map(key => [bound.dialect.encode(column, key)])
  return `${columnName(parent, ownerKey)} in (${bound.rows([column], encoded)})`
}

function isChild(bound: Bound, plan: Exclude<WritePlan, InsertPlan>): string | undefined {
  if (!('rows' in plan)) return plan.where(bound)
  const { model, rows } = plan
  const keys = rows.map(({ key }) => encodedKey(bound.dialect, model, key))
  return `${tupleOf(model, model.key)} in (${bound.rows(rowColumns(model.key).columns, keys)})`
}

/** Moves each version that this transaction has not moved yet, and those of the parents' own parents. */
async function moveOwners(database: Database, owners: Owners): Promise<void> {
  for (const [{ parent, ownerKey }, values] of owners) {
    if (values.length === 0) continue
    const keys = isKeyOf(parent, ownerKey) ? values : await keysOf(database, parent, ownerKey, values)
    const moved = movedRows(database)
    const left = keys.filter(key => !moved?.has(parent.table, keyText(parent, key)))
    if (left.length === 0) continue
    const rows = await move(database, parent, left)
    moved?.add(
      parent.table,
      left.map(key => keyText(parent, key)),
    )
    await moveOwners(database, ownersOf(database, nestingsOf(parent.table), parent.columns, rows))
  }
}

function isKeyOf({ key }: ModelInfo, column: ColumnInfo): boolean {
  return key.length === 1 && key[0] === column
}

async function keysOf(
  database: Database,
  parent: ModelInfo,
  ownerKey: ColumnInfo,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const own = keyProjection(parent)
  const rows = await readByValues(database, own, ownerKey, values)
  return decodedKeys(database, parent, rows, keyPlace(parent, own.columns))
}

/** The rows with these keys, whose next version is stored. A table without a version is a step to further parents. */
async function move(database: Database, parent: ModelInfo, keys: readonly unknown[]): Promise<readonly RawRow[]> {
  const { dialect } = database
  const versions = versionsOf(parent)
  if (versions.length === 0) return readByKeys(database, ownProjection(parent), keys)
  // An UPDATE takes its locks in any order.
  const locks = dialect.lockRows('update', parent.name) !== ''
  if (locks && keys.length > 1) await readByKeys(database, keyProjection(parent), keys, 'update')
  const bound = new Bound(dialect)
  const encoded = keys.map(key => encodedKey(dialect, parent, key))
  const text = dialect.writes.update({
    table: tableName(parent),
    set: () => versions.map(version => [quoteName(version.name), nextOf(bound, parent, version)]),
    where: () => `${tupleOf(parent, parent.key)} in (${bound.rows(rowColumns(parent.key).columns, encoded)})`,
    returning: nestingsOf(parent.table).length > 0 ? parent.columns.map(({ name }) => quoteName(name)) : [],
  })
  const statement = database.statement(text, () => text)
  return (await runWrite(database, parent, statement, bound.values)).rows
}

function nextOf(bound: Bound, parent: ModelInfo, version: ColumnInfo): string {
  const stored = columnName(parent, version)
  if (!isVersionTime(version)) return `${stored} + 1`
  return bound.dialect.laterThan(stored, bound.add(bound.dialect.encode(version, momentOfWrite())))
}
