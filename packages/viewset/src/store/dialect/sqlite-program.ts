// What SQLite compiles a statement to: https://www.sqlite.org/opcode.html. Opcodes may change from one release to the
// next. Whatever is not known here counts as a statement that reads many rows, and test/unit/sqlite-plan.test.ts fails.

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

/**
 * The tables whose rows a program goes through, once for each loop over one. Rows that it keeps for itself on the way
 * are as many as those loops give; where it loops over these, the tables are there twice.
 */
export function loopedTables(ask: Ask, program: readonly Instruction[]): readonly string[] {
  const roots = new Map<number, number>()
  for (const { code, p1, p2 } of program) if (code === 'OpenRead') roots.set(p1, p2)
  const looped = program
    .filter(({ code }) => code === 'Next' || code === 'Prev' || code === 'Count')
    .map(({ p1 }) => p1)
  const names = looped.flatMap(cursor => {
    const root = roots.get(cursor)
    return root === undefined ? [] : [tableAt(ask, root)]
  })
  const keepsRows = looped.some(cursor => !roots.has(cursor))
  return keepsRows ? [...names, ...names] : names
}

/** The table that a page of the file is the root of, or of an index of which it is. */
function tableAt(ask: Ask, root: number): string {
  const [[name] = []] = ask('select tbl_name from sqlite_schema where rootpage = ?', [root])
  return String(name ?? 'sqlite_schema')
}
