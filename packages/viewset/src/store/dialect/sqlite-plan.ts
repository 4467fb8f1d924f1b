import type { SqliteConnection } from './sqlite-connection.ts'

/** Rows that are gone through in less time than a thread takes to be asked. */
const FEW = 2_000

/**
 * What a statement may have to go through: rows that their keys lead to, or all rows of tables with few rows, or of
 * some with many.
 */
export type Reach = 'keys' | 'few' | 'many'

/** Asks SQLite how it would run a statement, which takes less than a tenth of a millisecond. */
export function reachOf(connection: SqliteConnection, text: string, values: readonly unknown[]): Reach {
  const ask = (sql: string, bound: readonly unknown[]) => [...connection.iterate(sql, bound)]
  const isByKey = (step: string) => leadsToOne(step, name => columnsOfUnique(ask, name))
  const steps = stepsOf(ask, text, values)
  const loops = steps.filter(step => /^(?:SCAN|SEARCH) /.test(step))
  if (loops.every(isByKey)) return 'keys'
  // Nothing tells how far a recursion goes, nor what is behind a virtual table.
  if (steps.includes('RECURSIVE STEP')) return 'many'
  if (loops.some(step => step.includes(' VIRTUAL TABLE ') && !isByKey(step))) return 'many'
  const roots = ask(`explain ${text}`, values).flatMap(([, code, , root]) =>
    code === 'OpenRead' ? [Number(root)] : [],
  )
  const tables = ask('select distinct tbl_name from sqlite_schema where rootpage in (select value from json_each(?))', [
    JSON.stringify(roots),
  ])
  return tables.every(([table]) => hasFew(ask, String(table))) ? 'few' : 'many'
}

/** None of what has no plan, such as another EXPLAIN; what is wrong with a statement it says itself when it is run. */
function stepsOf(ask: Ask, text: string, values: readonly unknown[]): readonly string[] {
  try {
    return ask(`explain query plan ${text}`, values).map(row => String(row[3]))
  } catch {
    return []
  }
}

type Ask = (sql: string, values: readonly unknown[]) => readonly (readonly unknown[])[]

/** Whether a step of a plan finds at most one row for each that the steps before it have found. */
function leadsToOne(step: string, columnsOfIndex: (name: string) => number): boolean {
  if (/^SCAN (?:CONSTANT ROW|jsonb?_each VIRTUAL TABLE )/.test(step)) return true
  if (step.includes(' USING INTEGER PRIMARY KEY (rowid=?)')) return true
  const [, index, terms = ''] = / USING (?:COVERING )?INDEX (\S+) \((.*)\)/.exec(step) ?? []
  if (index === undefined) return false
  const wanted = terms.split(' AND ')
  return wanted.every(term => /^[^<>]+=\?$/.test(term)) && wanted.length === columnsOfIndex(index)
}

/** How many columns a unique index has; 0 for any other. */
function columnsOfUnique(ask: Ask, index: string): number {
  const [found] = ask(
    `select (select count(*) from pragma_index_info(i.name)) from sqlite_schema i
     join pragma_index_list(i.tbl_name) l on l.name = i.name where i.type = 'index' and i.name = ? and l."unique"`,
    [index],
  )
  return Number(found?.[0] ?? 0)
}

/** Told by the row numbers, which SQLite finds without counting. */
function hasFew(ask: Ask, table: string): boolean {
  const name = `"${table.replaceAll('"', '""')}"`
  try {
    const [[span] = []] = ask(`select (select max(rowid) from ${name}) - (select min(rowid) from ${name})`, [])
    return Number(span ?? 0) < FEW
  } catch {
    // A table WITHOUT ROWID has none.
    return false
  }
}
