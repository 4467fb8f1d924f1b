// What SQLite compiles a statement to: https://www.sqlite.org/opcode.html. Opcodes may change from one release to the
// next. A statement whose opcodes are not named here counts as one that reads many rows; test/unit/sqlite-plan.test.ts fails.

export type Ask = (sql: string, values: readonly unknown[]) => readonly (readonly unknown[])[]

/** An instruction; its address is its place in the program. */
export interface Instruction {
  readonly code: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
}

export function programOf(ask: Ask, text: string, values: readonly unknown[]): readonly Instruction[] {
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
export function loopedTables(ask: Ask, program: readonly Instruction[]): readonly string[] | undefined {
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
