import { BoundedCache } from '../../core/bounded-cache.ts'
import { type SqliteConnection, sqliteFunctions } from './sqlite-connection.ts'

/** At most how many rows a statement scans with these values. Rows that unique keys lead to do not count. */
type ScanEstimate = (values: readonly unknown[]) => number

const NONE: ScanEstimate = () => 0
const MANY: ScanEstimate = () => Number.POSITIVE_INFINITY

/** A row costs at least ten times as much if JavaScript is called for it. */
const CALLS_JAVASCRIPT = new RegExp(`\\b(?:${Object.keys(sqliteFunctions).join('|')})\\(`)

/** Reads SQLite's plan of a statement, which takes about 0.1 ms. */
export function scanEstimate(connection: SqliteConnection, text: string, values: readonly unknown[]): ScanEstimate {
  const ask: Ask = (sql, bound) => [...connection.iterate(sql, bound)]
  // EXPLAIN uses the schema in the connection's memory. Reading the file makes SQLite reload it after changes by other
  // connections.
  ask('select 1 from sqlite_schema limit 1', [])
  const steps = stepsOf(ask, text, values)
  const loops = steps.filter(step => /^(?:SCAN|SEARCH) /.test(step))
  const further = loops.filter(step => !leadsToOne(step, name => columnsOfUnique(ask, name)))
  if (further.length === 0) return NONE
  // The depth of a recursion and the rows of a virtual table are unknown.
  if (steps.includes('RECURSIVE STEP')) return MANY
  if (further.some(step => step.includes(' VIRTUAL TABLE '))) return MANY
  const program = programOf(ask, text, values)
  const tables = loopedTables(ask, program)
  if (!tables) return MANY
  const weight = CALLS_JAVASCRIPT.test(text) ? 10 : 1
  const most = tables.reduce((product, table) => product * rowsOf(ask, table), weight)
  const limited = further.length === 1 ? limitedRows(program, { text, step: String(further[0]) }) : undefined
  return bound => Math.min(most, limited?.(bound) ?? most)
}

/** Empty for statements without a plan, such as EXPLAIN. An invalid statement fails when it runs. */
function stepsOf(ask: Ask, text: string, values: readonly unknown[]): readonly string[] {
  try {
    return ask(`explain query plan ${text}`, values).map(row => String(row[3]))
  } catch {
    return []
  }
}

function leadsToOne(step: string, columnsOfIndex: (name: string) => number): boolean {
  if (/^SCAN (?:CONSTANT ROW|jsonb?_each VIRTUAL TABLE )/.test(step)) return true
  if (step.includes(' USING INTEGER PRIMARY KEY (rowid=?)')) return true
  const [, index, terms = ''] = / USING (?:COVERING )?INDEX (\S+) \((.*)\)/.exec(step) ?? []
  if (index === undefined) return false
  const wanted = terms.split(' AND ')
  return wanted.every(term => /^[^<>]+=\?$/.test(term)) && wanted.length === columnsOfIndex(index)
}

function columnsOfUnique(ask: Ask, index: string): number {
  const [found] = ask(
    `select (select count(*) from pragma_index_info(i.name)) from sqlite_schema i
     join pragma_index_list(i.tbl_name) l on l.name = i.name where i.type = 'index' and i.name = ? and l."unique"`,
    [index],
  )
  return Number(found?.[0] ?? 0)
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

/** Opcodes of nested loops and sorters. */
const NOT_DIRECT = new Set([
  'AggStep',
  'Count',
  'Gosub',
  'InitCoroutine',
  'OpenAutoindex',
  'OpenEphemeral',
  'Program',
  'SorterOpen',
  'VNext',
])

/** Opcodes whose second operand is a register or a column. All others count as jumps. */
const NEVER_JUMPS = new Set(
  `Add Affinity And BitAnd BitOr Blob Cast CollSeq Column Concat Copy DeferredSeek Divide Explain Function Int64 Integer
  IsTrue MakeRecord Move Multiply Noop Not Null NullRow OpenRead Or PureFunc Real RealAffinity ResultRow Rowid SCopy
  String8 Subtract Variable ZeroOrNull`.split(/\s+/),
)

/** Looks a row up and jumps if there is none. */
const LOOKUPS = /^(?:Seek|Idx|Not(?:Exists|Found)|IsNull)/

/**
 * An upper limit of the rows visited because of the LIMIT: the returned rows and those before the OFFSET. `undefined`
 * if the program may visit rows without returning them. The plan has one loop, `step`; all other rows are found by
 * keys.
 */
function limitedRows(
  program: readonly Instruction[],
  { text, step }: { readonly text: string; readonly step: string },
): ((values: readonly unknown[]) => number) | undefined {
  const next = onlyAt(program, ({ code }) => code === 'Next' || code === 'Prev')
  const limit = onlyAt(program, ({ code }) => code === 'DecrJumpZero')
  if (next === undefined || limit === undefined || limit > next) return
  if (program.some(({ code }) => NOT_DIRECT.has(code))) return
  const { p2: start } = program[next] as Instruction
  const comparesRows = /\([^()]*,[^()]*\)[<>]=?\(/.test(step)
  let skips = 0
  for (let at = start; at < limit; at++) {
    const { code, p1, p2 } = program[at] as Instruction
    if (p2 <= limit || p2 > next || NEVER_JUMPS.has(code)) continue
    // OFFSET: these rows are counted below.
    if (code === 'IfPos') continue
    if (LOOKUPS.test(code) && isOfLeftJoin(program, at, p2)) continue
    // The last comparison of `(a, b) > (1, 2)`: it skips only the equal row, since keys are unique.
    if (code === 'IfNot' && comparesRows && comparesRow(program, start, at, p1)) skips++
    else return
  }
  if (skips > 1) return
  const { p1: limitRegister } = program[limit] as Instruction
  const offset = program.find(({ code, p1 }) => code === 'OffsetLimit' && p1 === limitRegister)
  const registers = offset ? [limitRegister, offset.p3] : [limitRegister]
  const numbers = registers.map(register => numberIn(program, register, text))
  return values => numbers.reduce((sum, number) => sum + number(values), skips)
}

function onlyAt(program: readonly Instruction[], holds: (instruction: Instruction) => boolean): number | undefined {
  const first = program.findIndex(holds)
  return first >= 0 && program.findLastIndex(holds) === first ? first : undefined
}

/**
 * Whether a failed lookup jumps to the NULL row of a left join. Conditions of WHERE jump there too, after the lookup
 * succeeded, and skip the row.
 */
function isOfLeftJoin(program: readonly Instruction[], at: number, target: number): boolean {
  const end = program[target]
  if (end?.code !== 'IfPos' || program[target + 1]?.code !== 'NullRow') return false
  const found = program.findLastIndex(({ code, p1, p2 }) => code === 'Integer' && p1 === 1 && p2 === end.p1)
  return at < found
}

function comparesRow(program: readonly Instruction[], start: number, at: number, register: number): boolean {
  return program.slice(start, at).some(({ code, p2 }) => code === 'ZeroOrNull' && p2 === register)
}

/** The number in a register: a parameter or a literal. Below 0 it means no limit. */
function numberIn(
  program: readonly Instruction[],
  register: number,
  text: string,
): (values: readonly unknown[]) => number {
  const set = program.find(({ code, p2 }) => (code === 'Variable' || code === 'Integer') && p2 === register)
  // For a plain `LIMIT ?`, the program contains the current parameter; the next run may have another one.
  const isWritten = set?.code === 'Integer' && new RegExp(`\\b(?:limit|offset)\\s+${set.p1}\\b`, 'i').test(text)
  return values => {
    const value = set?.code === 'Variable' ? values[set.p1 - 1] : isWritten ? set.p1 : undefined
    return value === undefined || Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value)
  }
}

// SQLite's bytecode: https://www.sqlite.org/opcode.html. Opcodes may change between releases. A statement with unknown
// opcodes counts as one that reads many rows, and test/unit/sqlite-plan.test.ts fails.

type Ask = (sql: string, values: readonly unknown[]) => readonly (readonly unknown[])[]

interface Instruction {
  readonly code: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
}

function programOf(ask: Ask, text: string, values: readonly unknown[]): readonly Instruction[] {
  return ask(`explain ${text}`, values).map(([, code, p1, p2, p3]) => ({
    code: String(code),
    p1: Number(p1),
    p2: Number(p2),
    p3: Number(p3),
  }))
}

const OPENS_STORED = new Set(['OpenRead', 'ReopenIdx'])
const OPENS_EPHEMERAL = new Set(['OpenAutoindex', 'OpenDup', 'OpenEphemeral', 'OpenPseudo'])

/**
 * The tables that a program loops over, once for each loop. If it also loops over ephemeral rows, each table counts
 * twice, because other loops made these rows. `undefined` if it loops over anything else.
 */
function loopedTables(ask: Ask, program: readonly Instruction[]): readonly string[] | undefined {
  const roots = new Map<number, number>()
  const ephemeral = new Set<number>()
  for (const { code, p1, p2 } of program) {
    if (OPENS_STORED.has(code)) roots.set(p1, p2)
    if (OPENS_EPHEMERAL.has(code)) ephemeral.add(p1)
  }
  const looped = program
    .filter(({ code }) => code === 'Next' || code === 'Prev' || code === 'Count')
    .map(({ p1 }) => p1)
  if (looped.some(cursor => !roots.has(cursor) && !ephemeral.has(cursor))) return undefined
  const names = looped.flatMap(cursor => {
    const root = roots.get(cursor)
    return root === undefined ? [] : [tableAt(ask, root)]
  })
  return looped.some(cursor => ephemeral.has(cursor)) ? [...names, ...names] : names
}

function tableAt(ask: Ask, root: number): string {
  const [[name] = []] = ask('select tbl_name from sqlite_schema where rootpage = ?', [root])
  return String(name ?? 'sqlite_schema')
}

/** Rows that take less time than a message to a thread. */
const FEW = 2_000

/** Milliseconds that an estimate stays valid: tables grow and indexes change. */
const LASTING = 10_000

const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

/** Decides which statements run in a thread: those whose plans may scan more than 2,000 rows. */
export class SqlitePlans {
  readonly #connection: SqliteConnection
  readonly #known = new BoundedCache<string, { estimate: ScanEstimate; until: number }>(KNOWN, { budget: BUDGET })

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  scansMany(text: string, values: readonly unknown[]): boolean {
    const now = performance.now()
    const known = this.#known.get(text, () => ({ estimate: NONE, until: now }))
    if (now >= known.until) {
      known.estimate = scanEstimate(this.#connection, text, values)
      known.until = now + LASTING
    }
    return known.estimate(values) > FEW
  }
}
