import { and, eq, type SQL, sql } from 'drizzle-orm'
import { quoteText } from '../../model/kit-columns.ts'
import type { HistoryTable } from '../../model/tables/history-tables.ts'
import type { Database } from '../../store/connection/database.ts'
import { decodeRow } from '../../store/row-set.ts'
import type { RowWindow } from '../../store/select.ts'
import type { ChildHistory } from './children.ts'
import { ask, entryModel, fixedValue, type HistoryEntry, type RecordHistory } from './entries.ts'
import { aliasOf, nameOf } from './entry-alias.ts'
import type { ShownValues } from './shown-values.ts'
import { visibleEntries } from './visible-entries.ts'

/** An entry of a record or of one of its children. */
export interface PlacedEntry {
  readonly entry: HistoryEntry
  readonly shown: ShownValues
  /** The place of the child: `lines.7`, `lines.7.boxes.3`; `null` for the record itself. */
  readonly path: string | null
}

/** The entries of a record and of its children. */
export interface FamilyEntries {
  count(): Promise<number>
  /** Newest first. */
  window(window: RowWindow): Promise<readonly PlacedEntry[]>
}

/** A list of children within others: the boxes of a line within the lines of an order. */
interface NestedHistory extends ChildHistory {
  readonly around: NestedHistory | undefined
  /** 1 for the children of the record, 2 for theirs. */
  readonly depth: number
}

interface Source {
  readonly table: HistoryTable
  readonly condition: SQL | undefined
  readonly path: SQL
  readonly shown: ShownValues
}

/** The entries that the view may see, with one SELECT over the histories of the record and its children. */
export function familyEntries(
  database: Database,
  of: RecordHistory,
  shown: ShownValues,
  children: readonly ChildHistory[],
): FamilyEntries {
  const { history } = of
  const own: Source = {
    table: history.table,
    condition: and(of.condition, visibleEntries(history, shown)),
    path: sql`null`,
    shown,
  }
  const sources = [own, ...nestedIn(children).map(child => childSource(of, child))]
  const union = (columnsOf: (table: HistoryTable) => SQL) => {
    const selects = sources.map(({ table, condition, path }, at) => {
      const place = sql`${sql.raw(String(at))} as _source, cast(${path} as text) as _path`
      const where = condition && sql` where ${condition}`
      return sql`select ${columnsOf(table)}, ${place} from ${table}${where}`
    })
    return sql`(${sql.join(selects, sql` union all `)}) as entries`
  }
  return {
    count: async () =>
      Number((await ask(database, sql`select count(*) from ${union(table => sql`${table.id}`)}`))[0]?.[0]),
    window: async ({ limit, offset }) => {
      const all = union(table => sql.join([...columnsOf(table)], sql`, `))
      const order = sql`${nameOf(history.table, 'at')} desc, _source, ${nameOf(history.table, 'id')} desc`
      const part = sql.raw(`limit ${limit} offset ${offset}`)
      const rows = await ask(database, sql`select * from ${all} order by ${order} ${part}`)
      return rows.map(row => {
        const { table, shown } = sources[Number(row.at(-2))] ?? own
        const path = row.at(-1)
        const entry = decodeRow(database.dialect, entryModel(table), row.slice(0, -2)) as HistoryEntry
        return { entry, shown, path: path === null ? null : String(path) }
      })
    },
  }
}

function columnsOf(table: HistoryTable): readonly SQL[] {
  return entryModel(table).columns.map(({ column }) => sql`${column}`)
}

function nestedIn(children: readonly ChildHistory[], around?: NestedHistory): readonly NestedHistory[] {
  return children.flatMap(child => {
    const nested = { ...child, around, depth: (around?.depth ?? 0) + 1 }
    return [nested, ...nestedIn(child.children, nested)]
  })
}

/** Entries of children, and of their children, while they belonged to the record. */
function childSource(of: RecordHistory, child: NestedHistory): Source {
  const { around, relation, history, shown } = child
  const { table } = history
  const isOfParent = around ? sql`${table.parent} in (${childrenOf(of, around)})` : eq(table.parent, of.key)
  const then = around ? belongedThen(of, around, sql`${table.parent}`, sql`${table.at}`) : []
  const ofTenant = Object.entries(of.fixed).map(([name, value]) => {
    return sql`coalesce(${fixedValue(table, name, [of.history, history])}, ${value}) = ${value}`
  })
  return {
    table,
    condition: and(isOfParent, ...then, ...ofTenant, isInScope(child), visibleEntries(history, shown, relation.source)),
    path: pathTo(child, sql`${table.record}`, sql`${table.parent}`),
    shown,
  }
}

/**
 * A list that shows only children in its scope has only their entries. A child whose row is deleted is in no scope; one
 * that a list has marked as deleted is.
 */
function isInScope({ relation, history: { table } }: ChildHistory): SQL | undefined {
  const { model, scopeWithDeleted: scope, scopeReads } = relation
  if (!scope || !scopeReads) return undefined
  const key = sql`cast(${model.primaryKey.column} as text)`
  return sql`${table.record} in (select ${key} from ${model.table} where ${scope()})`
}

/** That a child with a key, and those around it, belonged to the record at a time. */
function belongedThen(of: RecordHistory, child: NestedHistory, key: SQL, time: SQL): readonly SQL[] {
  const { around, history, depth } = child
  const entry = aliasOf(history.table, `then${depth}`)
  const then = sql`${entry('record')} = ${key} and ${entry('at')} <= ${time} order by ${entry('id')} desc limit 1`
  const owner = sql`(select ${entry('parent')} from ${entry.table} where ${then})`
  // Without an entry until then, the child has not moved.
  if (!around) return [sql`coalesce(${owner}, ${of.key}) = ${of.key}`]
  return [sql`(${owner} is null or ${owner} in (${childrenOf(of, around)}))`, ...belongedThen(of, around, owner, time)]
}

/** Selects the keys of the children that ever belonged to the record. One without an entry is found by its row. */
function childrenOf(of: RecordHistory, nested: NestedHistory): SQL {
  const { around, history, relation, depth } = nested
  const entry = aliasOf(history.table, `entry${depth}`)
  const isOfParent = around ? sql`in (${childrenOf(of, around)})` : sql`= ${of.key}`
  const recorded = sql`select ${entry('record')} from ${entry.table} where ${entry('parent')} ${isOfParent}`
  const stored = sql`select cast(${relation.model.primaryKey.column} as text) from ${relation.model.table}`
  return sql`${recorded} union ${stored} where ${storedIn(of, nested)}`
}

function storedIn(of: RecordHistory, { around, relation }: NestedHistory): SQL {
  const { source } = relation
  if (!around) return eq(source.column, of.id)
  const { model } = around.relation
  return sql`${source.column} in (select ${model.primaryKey.column} from ${model.table} where ${storedIn(of, around)})`
}

/** The path of the child with a key. Without the key of its parent, its newest entry names the parent. */
function pathTo(child: NestedHistory, key: SQL, parent?: SQL): SQL {
  const { around, relation } = child
  const own = sql`${sql.raw(quoteText(`${relation.wire}.`))} || ${key}`
  return around ? sql`${pathTo(around, parent ?? newestParent(child, key))} || '.' || ${own}` : own
}

function newestParent({ history, depth }: NestedHistory, key: SQL): SQL {
  const entry = aliasOf(history.table, `owner${depth}`)
  const newest = sql`where ${entry('record')} = ${key} order by ${entry('id')} desc limit 1`
  return sql`(select ${entry('parent')} from ${entry.table} ${newest})`
}
