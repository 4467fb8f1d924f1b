/** The name under which a statement knows the rows that travel with it: one that no table and no field has. */
export const ROWS = '"viewset:rows"'

/**
 * The pieces of a statement that writes. A function binds its values when it is called: a dialect calls each once, in
 * the order in which the pieces stand in its text.
 */
interface WriteText {
  readonly table: string
  /** What is returned of the rows that were written: columns, or reads of the rows that these refer to. */
  readonly returning: readonly string[]
}

/** The parts of an INSERT of many rows. */
export interface InsertText extends WriteText {
  readonly columns: readonly string[]
  /** What the columns are set to. */
  values(): readonly string[]
  /** A `select` of the rows that travel with the statement, to be called {@link ROWS}; without, it is one row. */
  readonly rows?: () => string
  /** What must hold for the one row to be stored. */
  readonly where?: () => string
}

/** The parts of an UPDATE of many rows. */
export interface UpdateText extends WriteText {
  /** Columns, and what they are set to. */
  set(): readonly (readonly [column: string, value: string])[]
  readonly rows?: () => string
  where(): string
}

/** The parts of a DELETE of many rows. */
export interface DeleteText extends WriteText {
  /** `undefined` is all rows. */
  where(): string | undefined
}

/** The parts of a statement that writes all rows which travel with it, or none of them. */
interface WriteAllText {
  readonly table: string
  rows(): string
}

/** A column of the table, and where {@link ROWS} has its value. */
export interface ColumnOfRows {
  readonly column: string
  readonly row: string
}

/** The parts of a DELETE of all rows or, if one is missing, of none. */
export interface DeleteAllText extends WriteAllText {
  /** The column that tells the table's rows apart, and where that key stands in {@link ROWS}. */
  readonly key: ColumnOfRows
  /** Columns that must hold what {@link ROWS} has for them. */
  readonly guards: readonly ColumnOfRows[]
  /** Which rows of the table can be found; `undefined` is all. */
  scope(): string | undefined
}

/** Of rows that are read as soon as they are written. */
interface ReadText extends WriteAllText {
  /** What must hold of all rows together. */
  conditions(): readonly string[]
  readonly reads: {
    /** The columns that it takes. */
    readonly columns: readonly string[]
    /** A `select` of it from written rows, which are known as `name`. */
    select(name: string): string
    /** The same as reads of each row, for RETURNING. */
    returning(): readonly string[]
  }
}

/** The parts of an INSERT of all rows or none. */
export interface InsertAllText extends ReadText {
  readonly columns: readonly string[]
  values(): readonly string[]
}

/** The parts of an UPDATE of all rows: it finds them as a DELETE does. */
export interface UpdateAllText extends ReadText, DeleteAllText {
  set(): readonly (readonly [column: string, value: string])[]
}

/** How one database spells writes that need no other statement. */
export interface WriteAllSpelling {
  insert(text: InsertAllText): string
  update(text: UpdateAllText): string
  /** It tells how many rows there were, and returns none. */
  delete(text: DeleteAllText): string
}

/** How one database spells writes. */
export interface WriteSpelling {
  insert(text: InsertText): string
  update(text: UpdateText): string
  delete(text: DeleteText): string
  /** Without it, bulk writes look and lock before they write, and read what they have written. */
  readonly all?: WriteAllSpelling
}

/** Writes as SQLite and PostgreSQL spell them. */
export const writeSpelling: WriteSpelling = {
  insert: text => insertText(text, () => fromRows(text)),
  update: text => updateText(text, () => fromRows(text)),
  delete: ({ table, where, returning }) => {
    const condition = where()
    const matching = condition === undefined ? '' : ` where ${condition}`
    return `delete from ${table}${matching}${returningClause(returning)}`
  },
}

function fromRows({ rows }: Pick<InsertText, 'rows'>): string {
  return rows ? ` from (${rows()}) as ${ROWS}` : ''
}

/** An INSERT, with what it reads. */
export function insertText(
  { table, columns, values, where, returning }: Omit<InsertText, 'rows'>,
  readFrom: () => string,
): string {
  const into = `insert into ${table}`
  const end = returningClause(returning)
  if (columns.length === 0) return `${into} default values${end}`
  const selected = values().join(', ')
  const from = readFrom()
  const condition = where?.()
  const rest = condition ? `${from} where ${condition}` : from
  const source = rest === '' ? `values (${selected})` : `select ${selected}${rest}`
  return `${into} (${columns.join(', ')}) ${source}${end}`
}

/** An UPDATE, with what it reads beside its table. */
export function updateText({ table, set, where, returning }: Omit<UpdateText, 'rows'>, from: () => string): string {
  const assignments = set().map(([column, value]) => `${column} = ${value}`)
  return `update ${table} set ${assignments.join(', ')}${from()} where ${where()}${returningClause(returning)}`
}

function returningClause(columns: readonly string[]): string {
  return columns.length === 0 ? '' : ` returning ${columns.join(', ')}`
}
