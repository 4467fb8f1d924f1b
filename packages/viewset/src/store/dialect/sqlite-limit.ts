import type { Instruction } from './sqlite-program.ts'

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
export function limitedRows(
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
