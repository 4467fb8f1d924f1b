import { BoundedCache } from '../bounded-cache.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** How SQLite runs a statement. */
interface Plan {
  /** Whether unique keys lead to each row. */
  readonly isByKeys: boolean
  /** At most how many rows it goes through with these values. */
  rows(values: readonly unknown[]): number
}

const BY_KEYS: Plan = { isByKeys: true, rows: () => 0 }
const MANY: Plan = { isByKeys: false, rows: () => Number.POSITIVE_INFINITY }

/** Asks SQLite how it would run a statement, which takes about a tenth of a millisecond. */
export function planOf(connection: SqliteConnection, text: string, values: readonly unknown[]): Plan {
  const ask: Ask = (sql, bound) => [...connection.iterate(sql, bound)]
  // EXPLAIN goes by the schema that the connection knows. Only what reads the file learns of indexes that others made.
  ask('select 1 from sqlite_schema limit 1', [])
  const steps = stepsOf(ask, text, values)
  const loops = steps.filter(step => /^(?:SCAN|SEARCH) /.test(step))
  const further = loops.filter(step => !leadsToOne(step, name => columnsOfUnique(ask, name)))
  if (further.length === 0) return BY_KEYS
  // Nothing tells how far a recursion goes, nor what is behind a virtual table.
  if (steps.includes('RECURSIVE STEP')) return MANY
  if (further.some(step => step.includes(' VIRTUAL TABLE '))) return MANY
  const program = programOf(ask, text, values)
  const tables = loopedTables(ask, program)
  if (!tables) return MANY
  const most = tables.reduce((product, table) => product * rowsOf(ask, table), 1)
  const limited = further.length === 1 ? limitedRows(program, { text, step: String(further[0]) }) : undefined
  return { isByKeys: false, rows: bound => Math.min(most, limited?.(bound) ?? most) }
}

/** None of what has no plan, such as another EXPLAIN; what is wrong with a statement it says itself when it is run. */
function stepsOf(ask: Ask, text: string, values: readonly unknown[]): readonly string[] {
  try {
    return ask(`explain query plan ${text}`, values).map(row => String(row[3]))
  } catch {
    return []
  }
}

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

/**
 * How many rows a table has at most, by the row numbers, which SQLite finds without counting. At least 1: a loop over an
 * empty table leaves the loops around it as long as they are.
 */
function rowsOf(ask: Ask, table: string): number {
  const name = `"${table.replaceAll('"', '""')}"`
  try {
    const [[span] = []] = ask(`select (select max(rowid) from ${name}) - (select min(rowid) from ${name}) + 1`, [])
    return Math.max(1, Number(span ?? 0))
  } catch {
    // A table WITHOUT ROWID has none.
    return Number.POSITIVE_INFINITY
  }
}

/** What has loops of its own, or makes rows wait for others. */
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

/** Where the second operand is a register or a column, and no address. All other opcodes count as jumps. */
const NEVER_JUMPS = new Set(
  `Add Affinity And BitAnd BitOr Blob Cast CollSeq Column Concat Copy DeferredSeek Divide Explain Function Int64 Integer
  IsTrue MakeRecord Move Multiply Noop Not Null NullRow OpenRead Or PureFunc Real RealAffinity ResultRow Rowid SCopy
  String8 Subtract Variable ZeroOrNull`.split(/\s+/),
)

/** Looks a row up, and jumps where there is none. */
const LOOKUPS = /^(?:Seek|Idx|Not(?:Exists|Found)|IsNull)/

/**
 * At most how many rows a program goes through because of its LIMIT: those that it delivers, and those before its
 * OFFSET. `undefined` where it may pass over rows without delivering them. Its plan has one loop, the `step`; all other
 * rows are found by keys.
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
    // The last comparison of `(a, b) > (1, 2)`: it passes over the one row that is equal, since keys are unique.
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

/** Where the one instruction is of which something holds. */
function onlyAt(program: readonly Instruction[], holds: (instruction: Instruction) => boolean): number | undefined {
  const first = program.findIndex(holds)
  return first >= 0 && program.findLastIndex(holds) === first ? first : undefined
}

/**
 * Whether a lookup that fails jumps to where a left join delivers a row of NULLs instead. Conditions of WHERE jump
 * there as well, behind the note that the lookup found something: they pass over the row.
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

/** The number in a register, which is one of the statement's values or stands in its text; below 0 it limits nothing. */
function numberIn(
  program: readonly Instruction[],
  register: number,
  text: string,
): (values: readonly unknown[]) => number {
  const set = program.find(({ code, p2 }) => (code === 'Variable' || code === 'Integer') && p2 === register)
  // For a plain `LIMIT ?`, the program has the value that it was asked with; the next run may have another one.
  const isWritten = set?.code === 'Integer' && new RegExp(`\\b(?:limit|offset)\\s+${set.p1}\\b`, 'i').test(text)
  return values => {
    const value = set?.code === 'Variable' ? values[set.p1 - 1] : isWritten ? set.p1 : undefined
    return value === undefined || Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value)
  }
}

// What SQLite compiles a statement to: https://www.sqlite.org/opcode.html. Opcodes may change from one release to the
// next. A statement whose opcodes are not named here counts as one that reads many rows; test/unit/sqlite-plan.test.ts fails.

type Ask = (sql: string, values: readonly unknown[]) => readonly (readonly unknown[])[]

/** An instruction; its address is its place in the program. */
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

/** Opens a table or an index of the file. */
const OPENS_STORED = new Set(['OpenRead', 'ReopenIdx'])
/** Opens rows that the program has made itself. */
const OPENS_OWN = new Set(['OpenAutoindex', 'OpenDup', 'OpenEphemeral', 'OpenPseudo'])

/**
 * The tables that a program goes through, once for each loop over one. A program that also loops over rows that it has
 * made itself has each table twice, since the other loops made these rows. `undefined` if a loop is over something else.
 */
function loopedTables(ask: Ask, program: readonly Instruction[]): readonly string[] | undefined {
  const roots = new Map<number, number>()
  const own = new Set<number>()
  for (const { code, p1, p2 } of program) {
    if (OPENS_STORED.has(code)) roots.set(p1, p2)
    if (OPENS_OWN.has(code)) own.add(p1)
  }
  const looped = program
    .filter(({ code }) => code === 'Next' || code === 'Prev' || code === 'Count')
    .map(({ p1 }) => p1)
  if (looped.some(cursor => !roots.has(cursor) && !own.has(cursor))) return undefined
  const names = looped.flatMap(cursor => {
    const root = roots.get(cursor)
    return root === undefined ? [] : [tableAt(ask, root)]
  })
  return looped.some(cursor => own.has(cursor)) ? [...names, ...names] : names
}

/** The table that a page of the file is the root of, or of an index of which it is. */
function tableAt(ask: Ask, root: number): string {
  const [[name] = []] = ask('select tbl_name from sqlite_schema where rootpage = ?', [root])
  return String(name ?? 'sqlite_schema')
}

/** Rows that are gone through in less time than a thread takes to be asked. */
const FEW = 2_000

/** Milliseconds that a statement may hold the event loop. */
const SLOW = 10

/** Milliseconds after which a plan is asked for again: tables grow, and indexes come and go. */
const LASTING = 10_000

/** Statements whose plans are known. */
const KNOWN = 2_000
const BUDGET = { most: 1024 ** 2, sizeOf: (text: string) => text.length }

/**
 * Which statements are left to a thread: those that may go through many rows, by their plans. How long one took before
 * does not count: the same statement is quick with one value and slow with another, and a client may know both.
 */
export class SqlitePlans {
  readonly #plans = new BoundedCache<string, KnownPlan>(KNOWN, { budget: BUDGET })

  of(text: string): KnownPlan {
    return this.#plans.get(text, () => new KnownPlan())
  }
}

/** The plan of one statement, as long as it lasts. */
export class KnownPlan {
  #plan: Plan | undefined
  /** When the plan is asked for again. */
  #until = 0
  #isSlow = false

  /** Whether a run with these values belongs into a thread. `ask` tells the plan; it is asked now and then. */
  isLong(values: readonly unknown[], ask: () => Plan): boolean {
    const now = performance.now()
    if (this.#plan === undefined || now >= this.#until) {
      this.#plan = ask()
      this.#until = now + LASTING
      this.#isSlow = false
    }
    return !this.#plan.isByKeys && (this.#isSlow || this.#plan.rows(values) > FEW)
  }

  /** Takes note of the milliseconds that a run has held the process: few rows may be wide, or a function slow. */
  held(time: number): void {
    this.#isSlow ||= time > SLOW
  }
}
