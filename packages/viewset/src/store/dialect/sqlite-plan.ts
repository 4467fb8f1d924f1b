import { BoundedCache } from '../../core/bounded-cache.ts'
import type { Statement, TableScan } from '../connection/driver.ts'
import { COUNT_ROW, type SqliteConnection, sqliteFunctions } from './sqlite-connection.ts'

/** A row costs at least ten times as much if JavaScript is called for it. */
const CALLS_JAVASCRIPT = new RegExp(`\\b(?:${Object.keys(sqliteFunctions).join('|')})\\(`)

export interface ScanPlan {
  /** At most how many rows it scans with these values. Rows that unique keys lead to do not count. */
  readonly most: (values: readonly unknown[]) => number
  /** The same, however large the table is: for a page in the order of an index. */
  readonly mostEver?: (values: readonly unknown[]) => number
  /** The text that counts the rows of the scan while it runs; absent if that is no use, or would miss other loops. */
  readonly counted?: string
  /** The rows of the tables by which `most` is known; absent if it does not depend on them. */
  readonly sizes?: ReadonlyMap<string, number>
}

const NONE: ScanPlan = { most: () => 0 }
const MANY: ScanPlan = { most: () => Number.POSITIVE_INFINITY }

/** Reads SQLite's plan of a statement, which takes about 0.1 ms. */
export function scanPlan(
  connection: SqliteConnection,
  { text, scan }: Statement,
  values: readonly unknown[],
): ScanPlan {
  const ask = askerOf(connection)
  // EXPLAIN uses the schema in the connection's memory. Reading the file makes SQLite reload it after changes by other
  // connections.
  ask('select 1 from sqlite_schema limit 1', [])
  const steps = stepsOf(ask, text, values)
  const loops = loopsOf(ask, text, steps)
  if (loops.length === 0) return NONE
  // The depth of a recursion and the rows of a virtual table are unknown.
  if (steps.some(({ detail }) => detail === 'RECURSIVE STEP')) return MANY
  if (loops.some(({ detail }) => detail.includes(' VIRTUAL TABLE '))) return MANY
  const callsJavaScript = CALLS_JAVASCRIPT.test(text)
  const weight = callsJavaScript ? 10 : 1
  const rows = scan && rowsOfScan(steps, loops, scan)
  if (!scan || !rows) {
    const sizes = sizesOf(ask, text)
    const most = weight * Math.max(1, ...sizes.values()) ** loops.length
    return { most: () => most, sizes }
  }
  const size = rowsOf(ask, scan.table)
  const sizes = new Map([[scan.table, size]])
  const most = weight * size
  if (rows === 'in order' && !scan.hasCondition) {
    const mostEver = (bound: readonly unknown[]) => weight * lastRow(scan, bound)
    return { most: bound => Math.min(most, mostEver(bound)), mostEver, sizes }
  }
  const isCounted = rows !== 'all' && !callsJavaScript
  return { most: () => most, sizes, ...(isCounted && countedScan(ask, scan, values)) }
}

function askerOf(connection: SqliteConnection): Ask {
  return (sql, bound) => [...connection.iterate(sql, bound)]
}

/** Whether a table has grown so much that a plan may be another one. */
function haveGrown(connection: SqliteConnection, sizes: ReadonlyMap<string, number>): boolean {
  const ask = askerOf(connection)
  return [...sizes].some(([table, rows]) => rowsOf(ask, table) > 2 * rows)
}

function lastRow({ limitAt }: TableScan, values: readonly unknown[]): number {
  return limitAt === undefined ? Number.POSITIVE_INFINITY : Number(values[limitAt - 1]) + Number(values[limitAt])
}

/** The counting function is called in the outermost loop, so this must be the only one that goes through rows. */
function countedScan(ask: Ask, scan: TableScan, values: readonly unknown[]): Pick<ScanPlan, 'counted'> | undefined {
  const counted = scan.withCondition(COUNT_ROW)
  const steps = stepsOf(ask, counted, values)
  return rowsOfScan(steps, loopsOf(ask, counted, steps), scan) && { counted }
}

// Rows of EXPLAIN QUERY PLAN: https://www.sqlite.org/eqp.html. An unknown wording counts as many rows.

type Ask = (sql: string, values: readonly unknown[]) => readonly (readonly unknown[])[]

interface Step {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** Empty for statements without a plan, such as EXPLAIN. An invalid statement fails when it runs. */
function stepsOf(ask: Ask, text: string, values: readonly unknown[]): readonly Step[] {
  try {
    const rows = ask(`explain query plan ${text}`, values)
    return rows.map(([id, parent, , detail]) => ({ id: Number(id), parent: Number(parent), detail: String(detail) }))
  } catch {
    return []
  }
}

/** A Bloom filter on a table is made by going through it. */
function isLoop({ detail }: Step): boolean {
  return /^(?:SCAN|SEARCH|BLOOM FILTER ON) /.test(detail)
}

/** The loops of a statement whose rows are not found by unique keys. */
function loopsOf(ask: Ask, text: string, steps: readonly Step[]): readonly Step[] {
  return steps.filter(step => isLoop(step) && !leadsToOne(ask, text, step))
}

function leadsToOne(ask: Ask, text: string, { detail }: Step): boolean {
  if (/^SCAN (?:CONSTANT ROW|jsonb?_each VIRTUAL TABLE )/.test(detail)) return true
  if (!detail.startsWith('SEARCH ')) return false
  if (detail.includes(' USING INTEGER PRIMARY KEY (rowid=?)')) return true
  const [, index, terms = ''] = / USING (?:COVERING )?INDEX (\S+) \((.*)\)/.exec(detail) ?? []
  if (index === undefined) return false
  const wanted = terms.split(' AND ')
  const columns = columnsOfUnique(ask, index)
  if (wanted.length !== columns.length || !wanted.every(term => /^(?:<expr>|[^<>]+)=\?$/.test(term))) return false
  return columns.every(([name, isNotNull]) => isNotNull === 1n || !isComparedByIs(text, name))
}

/** The columns of a unique index: name and NOT NULL. An expression has no name. */
function columnsOfUnique(ask: Ask, index: string): readonly (readonly unknown[])[] {
  return ask(
    `select c.name, t."notnull" from sqlite_schema i
     join pragma_index_list(i.tbl_name) l on l.name = i.name join pragma_index_info(i.name) c
     left join pragma_table_info(i.tbl_name) t on t.name = c.name
     where i.type = 'index' and i.name = ? and l."unique"`,
    [index],
  )
}

/** A unique index may have many NULLs, and the plan shows `code IS NULL` as `code=?`. */
function isComparedByIs(text: string, name: unknown): boolean {
  const column = typeof name === 'string' ? name.replace(/\W/g, '\\$&') : ''
  const is = 'is\\s+(?!not\\s+null\\b)'
  const before = `${column}["'\`\\])]*\\s+${is}`
  const after = `\\b${is}(?:not\\s+distinct\\s+from\\s+)?[^\\s,)]*${column}`
  return new RegExp(`${before}|${after}`, 'i').test(text)
}

/**
 * Which rows of its table a read goes through: those that an index has in its order, all to sort them, or some of them.
 * `undefined` if the statement goes through other rows, too.
 *
 * The read is the outermost loop of the statement, or of a subquery whose few rows are then joined with others by keys.
 */
function rowsOfScan(
  steps: readonly Step[],
  loops: readonly Step[],
  { table }: TableScan,
): 'in order' | 'some' | 'all' | undefined {
  const subqueries = [`CO-ROUTINE ${table}`, `MATERIALIZE ${table}`]
  const within = steps.find(({ parent, detail }) => parent === 0 && subqueries.includes(detail))?.id ?? 0
  const [only, ...others] = loops.filter(
    ({ parent, detail }) => within === 0 || parent !== 0 || detail !== `SCAN ${table}`,
  )
  const around = steps.filter(({ parent }) => parent === within)
  const isFirst = only !== undefined && only === around.find(isLoop)
  if (!isFirst || others.length > 0 || !isOf(table, only)) return undefined
  const sorter = around.find(({ detail }) => detail.startsWith('USE TEMP B-TREE '))
  if (!sorter) return 'in order'
  // Rows with equal first terms are sorted, and those of a search.
  const isPartial = / FOR LAST .*TERMS? OF ORDER BY$/.test(sorter.detail) || only.detail.startsWith('SEARCH ')
  return isPartial ? 'some' : 'all'
}

/** A skip-scan, `(ANY(country) AND size>?)`, passes over rows that nothing counts. */
function isOf(table: string, { detail }: Step): boolean {
  const rest = ['SCAN ', 'SEARCH '].find(word => detail.startsWith(word + table))
  return rest !== undefined && /^(?: USING (?!.*\(ANY\().*)?$/.test(detail.slice(rest.length + table.length))
}

/** Every name in a text, also that of a column or an alias. */
const NAMES = /"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+/g

/** The rows of each table in a text. The plan has aliases in place of tables. */
function sizesOf(ask: Ask, text: string): ReadonlyMap<string, number> {
  const names = new Set(text.match(NAMES)?.map(plainName))
  const mentioned = ask("select name, type from sqlite_schema where type in ('table', 'view')", []).filter(([name]) =>
    names.has(String(name).toLowerCase()),
  )
  return new Map(
    mentioned.map(([name, type]) => [String(name), type === 'view' ? Infinity : rowsOf(ask, String(name))]),
  )
}

function plainName(name: string): string {
  const quote = name.charAt(0)
  const isQuoted = /["'`[]/.test(quote)
  return (isQuoted ? name.slice(1, -1).replaceAll(quote + quote, quote) : name).toLowerCase()
}

/**
 * An upper limit of a table's rows, from the rowids, which SQLite finds without counting. At least 1, because an empty
 * inner loop does not shorten the outer loops.
 */
function rowsOf(ask: Ask, table: string): number {
  const name = `"${table.replaceAll('"', '""')}"`
  try {
    const [[span] = []] = ask(`select (select max(rowid) from ${name}) - (select min(rowid) from ${name}) + 1`, [])
    return Math.max(1, Number(span ?? 0))
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Rows that take less time than a message to a thread. */
const FEW = 2_000

/** Milliseconds that a plan stays valid if no table grows much: indexes and statistics change. */
const LASTING = 10_000

/** Runs in a thread after a counted run that had to be ended. It has cost as much as about 16 messages. */
const PAUSE = 16
const LONGEST_PAUSE = 1_024

/** Changes with each commit of another connection: https://www.sqlite.org/pragma.html#pragma_data_version */
const DATA_VERSION: Statement = { text: 'pragma data_version' }

const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

/** Decides which statements run in a thread. */
export class SqlitePlans {
  readonly #connection: SqliteConnection
  readonly #known = new BoundedCache<string, KnownScan>(KNOWN, { budget: BUDGET })

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  of(statement: Statement, values: readonly unknown[]): KnownScan {
    const known = this.#known.get(statement.text, newScan)
    const now = performance.now()
    if (now >= known.until || this.#isOutgrown(known, values)) {
      known.plan = scanPlan(this.#connection, statement, values)
      known.until = now + LASTING
      known.version = this.#version()
    }
    return known
  }

  /** Whether a commit has made a short scan long. */
  #isOutgrown(known: KnownScan, values: readonly unknown[]): boolean {
    const { sizes, mostEver = () => Number.POSITIVE_INFINITY } = known.plan
    if (!sizes || mostEver(values) <= FEW || !known.isShort(values)) return false
    const version = this.#version()
    if (version === known.version) return false
    known.version = version
    return haveGrown(this.#connection, sizes)
  }

  #version(): unknown {
    return this.#connection.run(DATA_VERSION, []).rows[0]?.[0]
  }
}

export class KnownScan {
  plan = NONE
  /** The version of the data for which the sizes of tables were asked. */
  version: unknown
  until = Number.NEGATIVE_INFINITY
  #pause = 0
  #runsInThread = 0

  /** Whether it scans few rows with these values. */
  isShort(values: readonly unknown[]): boolean {
    return this.plan.most(values) <= FEW
  }

  /** The text for a run that may be ended; `undefined` if the statement belongs into a thread. */
  counted(): string | undefined {
    if (this.#runsInThread === 0) return this.plan.counted
    this.#runsInThread--
    return undefined
  }

  /** A counted run has ended, and the statement's next runs depend on whether it was too long. */
  ran(wasTooLong: boolean): void {
    this.#pause = wasTooLong ? Math.min(Math.max(PAUSE, this.#pause * 2), LONGEST_PAUSE) : 0
    this.#runsInThread = this.#pause
  }
}

function newScan(): KnownScan {
  return new KnownScan()
}
